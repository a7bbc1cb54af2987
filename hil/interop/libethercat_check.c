/* Checks emulated boards with DLR's MainDevice, libethercat 0.8.0 (https://github.com/robert-burger/libethercat, with libosal):
 * boards found, OP, working counters, the first board's drive moved. Prints what came of it; exit code 0 if all is well.
 *
 *     chiron bus bench_two_drives --interface vb &
 *     gcc libethercat_check.c ... -lethercat -losal -lpthread -lrt -lm -o libethercat_check
 *     libethercat_check vm 20000 2000          interface, cycles, period [us]
 *
 * The process data are those of the bench's drives: objects 0x6040 16, 0x6060 8, 0x607A 32 first, and 0x6041 16, 0x6061 8,
 * 0x6064 32 first. */
#include <libosal/osal.h>
#include <libethercat/config.h>
#include <libethercat/ec.h>
#include <libethercat/error_codes.h>
#include <libethercat/hw_sock_raw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCE = 8000, STEP = 20, REACHED = 10, QUIET_CYCLES = 500 };

static ec_t ec;
static struct hw_sock_raw card;
static volatile int running = 1, operational = 0;
static long period, sent, answered, wrong;
static int start, target, position;
static unsigned status;

static void only_errors(ec_t *pec, int level, const char *format, ...) {
    (void)pec;
    if (level > 5) return;
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

static void group_answered(void *argument, int number) {
    (void)argument, (void)number;
    if (!operational) return;
    answered++;
    wrong += ec.pd_groups[0].wkc_mismatch_cnt_lrw != 0;
}

/* One step of the state machine of CiA 402 per statusword, then along by STEP a cycle. */
static void drive(void) {
    osal_uint8_t *out = ec.slaves[0].pdout.pd, *in = ec.slaves[0].pdin.pd;
    status = in[0] | in[1] << 8;
    memcpy(&position, in + 3, 4);
    unsigned state = status & 0x6f, control = 0x80;
    if ((status & 0x4f) == 0x40) control = 0x06;
    else if (state == 0x21) control = 0x07;
    else if (state == 0x23 || state == 0x27) control = 0x0f;
    if (state != 0x27) start = target = position;
    else if (sent > QUIET_CYCLES && target < start + DISTANCE) target += STEP;
    memset(out, 0, ec.slaves[0].pdout.len);
    out[0] = control;
    out[2] = 8;
    memcpy(out + 3, &target, 4);
}

static osal_void_t *cycles_of(osal_void_t *argument) {
    (void)argument;
    osal_uint64_t next = osal_timer_gettime_nsec();
    while (running) {
        next += period * 1000;
        osal_sleep_until_nsec(next);
        if (operational) {
            drive();
            sent++;
        }
        ec_send_process_data(&ec);
        if (hw_tx_high(ec.phw) == OSAL_TRUE) hw_rx(ec.phw);
        if (hw_tx_low(ec.phw) == OSAL_TRUE) hw_rx(ec.phw);
    }
    return NULL;
}

static int reaches(ec_state_t state, const char *name) {
    int found = ec_set_state(&ec, state);
    printf("%s %s\n", found == (int)state ? "ok  " : "FAIL", name);
    return found == (int)state;
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "expected INTERFACE CYCLES PERIOD_US\n");
        return 2;
    }
    long cycles = atol(words[2]);
    period = atol(words[3]);
    osal_timer_set_clock_source(CLOCK_MONOTONIC);
    ec.ec_log_func = only_errors;
    if (hw_device_sock_raw_open(&card, &ec, words[1], 78, 1) || ec_open(&ec, &card.common, 0)) return 2;
    ec_set_state(&ec, EC_STATE_INIT);
    printf("%s boards found: %d\n", ec.slave_cnt ? "ok  " : "FAIL", ec.slave_cnt);
    if (!ec.slave_cnt || !reaches(EC_STATE_PREOP, "PRE-OP")) return 1;
    ec.main_cycle_interval = period * 1000;
    ec_create_pd_groups(&ec, 1);
    ec_configure_pd_group(&ec, 0, 1, group_answered, NULL);
    for (int board = 0; board < ec.slave_cnt; board++) ec.slaves[board].assigned_pd_group = 0;
    osal_task_attr_t attributes = {"cycles", OSAL_SCHED_POLICY_FIFO, 77, 1};
    osal_task_t task;
    osal_task_create(&task, &attributes, cycles_of, NULL);
    int good = reaches(EC_STATE_SAFEOP, "SAFE-OP") && reaches(EC_STATE_OP, "OP");
    operational = good;
    while (good && sent < cycles) osal_sleep(10000000);
    operational = 0;
    int counted = good && wrong == 0 && answered >= sent - 1;
    int moved = good && abs(position - start - DISTANCE) <= REACHED;
    printf("%s working counter %d: %ld cycles, %ld answered, %ld wrong\n", counted ? "ok  " : "FAIL",
           ec.pd_groups[0].wkc_expected_lrw, sent, answered, wrong);
    printf("%s drive moved: statusword %#06x, %d -> %d, target %d\n", moved ? "ok  " : "FAIL", status, start, position,
           start + DISTANCE);
    ec_set_state(&ec, EC_STATE_INIT);
    running = 0;
    osal_task_join(&task, NULL);
    return counted && moved ? 0 : 1;
}
