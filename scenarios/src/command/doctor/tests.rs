//! Texts of /proc as kernels write them.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;

const LIMITS: &str = "\
Limit                     Soft Limit           Hard Limit           Units     \n\
Max cpu time              unlimited            unlimited            seconds   \n\
Max locked memory         8388608              unlimited            bytes     \n\
Max realtime priority     0                    95                             \n\
Max realtime timeout      unlimited            unlimited            us        \n";

const STATUS: &str = "\
Name:\tchiron\nUmask:\t0022\nUid:\t1000\t0\t1000\t1000\nCapInh:\t0000000000000000\n\
CapPrm:\t0000000000802000\nCapEff:\t0000000000802000\nCapBnd:\t000001ffffffffff\n";

fn machine(files: &[(&str, &str)], variables: &[(&str, &str)]) -> (tempfile::TempDir, Machine) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let machine = Machine { root: folder.path().to_owned(), variables };
    (folder, machine)
}

#[test]
fn limits_are_the_soft_ones() {
    let limit = |name| soft_limit(LIMITS, name);
    assert_eq!(limit("Max locked memory"), Some(8_388_608));
    assert_eq!(limit("Max realtime priority"), Some(0));
    assert_eq!(limit("Max cpu time"), Some(u64::MAX));
    assert_eq!(limit("Max patience"), None);
}

#[test]
fn capabilities_are_the_effective_ones_and_so_is_the_user() {
    assert_eq!([13, 23, 21].map(|bit| capability(STATUS, bit)), [Some(true), Some(true), Some(false)]);
    assert_eq!(effective_user(STATUS), Some(0));
    assert_eq!(capability("Name:\tx\n", 13), None);
    assert_eq!(capability("CapEff:\tnonsense\n", 13), None);
}

#[test]
fn kernels_fit_for_real_time_say_so() {
    let debian = "Linux version 6.12.9-rt-amd64 (gcc) #1 SMP PREEMPT_RT Debian 6.12.9-1";
    let ubuntu = "Linux version 6.8.0-51-lowlatency (buildd@x) #52.1-Ubuntu SMP PREEMPT_DYNAMIC";
    let plain = "Linux version 6.1.0-29-amd64 (gcc) #1 SMP PREEMPT_DYNAMIC Debian 6.1.123-1";
    assert_eq!(preemption(false, debian), Some("PREEMPT_RT"));
    assert_eq!(preemption(false, ubuntu), Some("low latency"));
    assert_eq!(preemption(false, plain), None);
    assert_eq!(preemption(true, plain), Some("PREEMPT_RT"));
}

#[test]
fn free_space_is_read_from_posix_output_even_with_blanks_in_names() {
    let text = "Filesystem     1024-blocks     Used Available Capacity Mounted on\n/dev/my disk     263174212 20815584  75000000      22% /mnt/two words\n";
    assert_eq!(space(text), Some(Space { free: 75_000_000 * 1024, mount: "/mnt/two words".to_owned() }));
    assert_eq!(space("df: no such file\n"), None);
    assert_eq!(space("a\nb\n"), None);
}

#[test]
fn available_memory_is_in_bytes() {
    let (_folder, machine) = machine(&[("proc/meminfo", "MemTotal:  100 kB\nMemAvailable:   16384 kB\n")], &[]);
    assert_eq!(machine.available_memory(), Some(16 << 20));
}

#[test]
fn every_governor_is_named_once_and_no_governor_is_none() {
    let governor = |core| format!("sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor");
    let (first, second, third) = (governor(0), governor(1), governor(2));
    let files = [(first.as_str(), "powersave\n"), (second.as_str(), "performance\n"), (third.as_str(), "powersave\n")];
    assert_eq!(machine(&files, &[]).1.governors(), ["performance", "powersave"]);
    assert!(machine(&[], &[]).1.governors().is_empty());
}

#[test]
fn drivers_are_where_the_loader_looks_unless_a_variable_says_otherwise() {
    let files = [
        ("usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "{}"),
        ("usr/share/vulkan/icd.d/README", ""),
        ("opt/mine.json", "{}"),
    ];
    assert_eq!(machine(&files, &[]).1.vulkan_drivers(), ["lvp_icd.x86_64.json"]);
    let (_folder, other) = machine(&files, &[("VK_DRIVER_FILES", "/opt/mine.json:/opt/gone.json")]);
    assert_eq!(other.vulkan_drivers(), ["/opt/mine.json"]);
}

#[test]
fn libraries_of_debian_and_fedora_are_found() {
    let files =
        [("usr/lib/x86_64-linux-gnu/libX11.so.6", ""), ("usr/lib64/libXi.so.6", ""), ("opt/lib/libmine.so", "")];
    let (_folder, machine) = machine(&files, &[("LD_LIBRARY_PATH", "/opt/lib:")]);
    assert!(
        machine.has_library("libX11.so.6") && machine.has_library("libXi.so.6") && machine.has_library("libmine.so")
    );
    assert!(!machine.has_library("libXcursor.so.1"));
}

#[test]
fn a_machine_without_proc_gives_no_answers_and_no_panic() {
    let (_folder, machine) = machine(&[], &[("DISPLAY", "")]);
    assert_eq!((machine.available_memory(), machine.is_root(), machine.isolated_cores()), (None, None, None));
    assert_eq!(machine.kernel_release(), "unknown kernel");
    assert_eq!(machine.variable("DISPLAY"), None, "an empty variable is none");
}
