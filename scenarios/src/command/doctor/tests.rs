//! Texts of /proc as kernels write them.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;

const STATUS: &str = "\
Name:\tchiron\nUmask:\t0022\nCapInh:\t0000000000000000\n\
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
fn capabilities_are_the_effective_ones() {
    assert_eq!([13, 23, 21].map(|bit| capability(STATUS, bit)), [Some(true), Some(true), Some(false)]);
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
fn free_space_is_that_of_the_disk_below_the_working_directory() {
    let space = free_space().unwrap();
    assert!(std::env::current_dir().unwrap().starts_with(&space.mount), "{space:?}");
    assert!(space.free > 0);
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
    assert_eq!((machine.available_memory(), machine.isolated_cores()), (None, None));
    assert_eq!(machine.variable("DISPLAY"), None, "an empty variable is none");
}

#[test]
fn the_tick_is_read_from_the_kernels_configuration() {
    let config = "# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\nCONFIG_HZ=250\nCONFIG_SCHED_HRTICK=y\n";
    let path = format!("boot/config-{}", kernel_release());
    assert_eq!(machine(&[(path.as_str(), config)], &[]).1.tick_rate(), Some(250));
    assert_eq!(machine(&[], &[]).1.tick_rate(), None);
}

#[test]
fn what_real_time_threads_may_take_is_read_with_its_sign() {
    let of = |text| machine(&[("proc/sys/kernel/sched_rt_runtime_us", text)], &[]).1.real_time_runtime();
    assert_eq!((of("950000\n"), of("-1\n"), of("soon\n")), (Some(950_000), Some(-1), None));
    let (_folder, machine) = machine(&[("proc/self/timerslack_ns", "50000\n")], &[]);
    assert_eq!(machine.timer_slack(), Some(50_000));
}

#[test]
fn cores_are_counted_and_not_their_neighbours_folders() {
    let names = ["cpu0", "cpu1", "cpu12", "cpufreq", "cpuidle", "online"];
    let paths = names.map(|name| format!("sys/devices/system/cpu/{name}/x"));
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
    assert_eq!(machine(&files, &[]).1.cores(), 3);
}

const ROUTES: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n\
eno1\t0002A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n\
wlp2s0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n";

#[test]
fn the_default_route_is_the_one_to_everywhere() {
    assert_eq!(default_route(ROUTES).as_deref(), Some("wlp2s0"));
    assert_eq!(default_route("Iface\tDestination\n"), None);
    assert_eq!(default_route(""), None);
}

#[test]
fn a_card_is_told_from_a_radio_and_from_what_the_kernel_makes() {
    let files = [
        ("proc/net/route", ROUTES),
        ("sys/class/net/eno1/type", "1\n"),
        ("sys/class/net/eno1/speed", "1000\n"),
        ("sys/class/net/eno1/carrier", "1\n"),
        ("sys/class/net/eno1/device/vendor", "0x8086\n"),
        ("sys/class/net/wlp2s0/type", "1\n"),
        ("sys/class/net/wlp2s0/device/vendor", "0x8086\n"),
        ("sys/class/net/wlp2s0/wireless/x", ""),
        ("sys/class/net/veth0/type", "1\n"),
        ("sys/class/net/veth0/speed", "10000\n"),
        ("sys/class/net/lo/type", "772\n"),
    ];
    let (folder, machine) = machine(&files, &[]);
    let driver = folder.path().join("sys/class/net/eno1/device/driver");
    std::os::unix::fs::symlink("../../../bus/pci/drivers/igb", driver).unwrap();
    let interfaces = machine.interfaces();
    let wired: Vec<&Interface> = interfaces.iter().filter(|interface| interface.is_wired_card).collect();
    let eno1 = Interface {
        name: "eno1".to_owned(),
        driver: "igb".to_owned(),
        speed: Some(1_000),
        has_link: true,
        is_wired_card: true,
        carries_default_route: false,
    };
    assert_eq!(wired, [&eno1]);
    assert!(interfaces.iter().any(|interface| interface.name == "wlp2s0" && interface.carries_default_route));
}

#[test]
fn a_refused_namespace_says_so_in_the_systems_words() {
    assert_eq!(trial(true, ""), Namespaces::Available);
    let refused = "unshare: unshare failed: Operation not permitted\n";
    assert_eq!(
        trial(false, refused),
        Namespaces::Refused("unshare: unshare failed: Operation not permitted".to_owned())
    );
    assert_eq!(trial(false, "unshare: failed to execute ip: No such file or directory\n"), Namespaces::NoTool("ip"));
}
