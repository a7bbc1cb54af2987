//! What /proc, /sys and the environment tell of a machine.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where drivers of the Vulkan loader are described, as its documentation lists them.
const DRIVER_FOLDERS: [&str; 3] = ["etc/vulkan/icd.d", "usr/local/share/vulkan/icd.d", "usr/share/vulkan/icd.d"];
/// Where shared libraries lie on Debian, Fedora and Arch, in this order.
const LIBRARY_FOLDERS: [&str; 6] = [
    "usr/lib/x86_64-linux-gnu",
    "lib/x86_64-linux-gnu",
    "usr/lib64",
    "usr/lib",
    "usr/local/lib",
    "usr/lib/aarch64-linux-gnu",
];

/// A machine, as its files and environment describe it.
#[derive(Clone, Debug)]
pub struct Machine {
    root: PathBuf,
    variables: BTreeMap<String, String>,
}

/// A network interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name, for example `enp3s0`.
    pub name: String,
    /// The kernel module that drives it.
    pub driver: String,
    /// What it runs at [Mbit/s]; virtual machines often cannot tell.
    pub speed: Option<i64>,
    /// Whether something answers at the other end of the cable.
    pub has_link: bool,
    /// Whether it is an Ethernet card, not a radio and not made by the kernel.
    pub is_wired_card: bool,
    /// Whether the machine's own traffic goes through it.
    pub carries_default_route: bool,
}

/// Whether a network of one's own can be made, with virtual cards in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Namespaces {
    /// It was tried and worked.
    Available,
    /// A program that it takes is not installed.
    NoTool(&'static str),
    /// The system's answer.
    Refused(String),
}

/// Room on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// What is left [bytes].
    pub free: u64,
    /// Where the disk is mounted.
    pub mount: String,
}

impl Machine {
    /// The machine that this program runs on.
    pub fn this() -> Machine {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Machine { root: PathBuf::from("/"), variables: std::env::vars_os().filter_map(text).collect() }
    }

    /// A variable of the environment that is set to something.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Memory that programs may have without swapping [bytes].
    pub fn available_memory(&self) -> Option<u64> {
        kibibytes(&self.read("proc/meminfo")?, "MemAvailable:")
    }

    /// Whether this process has a capability.
    pub fn has_capability(&self, bit: u32) -> Option<bool> {
        capability(&self.read("proc/self/status")?, bit)
    }

    /// What makes the kernel fit for real-time work, if anything does.
    pub fn preemption(&self) -> Option<&'static str> {
        let says_so = self.read("sys/kernel/realtime").is_some_and(|text| text.trim() == "1");
        let version = self.read("proc/version").unwrap_or_default();
        preemption(says_so, &version)
    }

    /// The governors of all cores, each once, sorted.
    pub fn governors(&self) -> Vec<String> {
        let cores = self.names("sys/devices/system/cpu");
        let governor = |core: &String| self.read(&format!("sys/devices/system/cpu/{core}/cpufreq/scaling_governor"));
        let governors: BTreeSet<String> =
            cores.iter().filter_map(governor).map(|text| text.trim().to_owned()).collect();
        governors.into_iter().collect()
    }

    /// The cores that the scheduler leaves alone, as the kernel lists them, for example `2-3`.
    pub fn isolated_cores(&self) -> Option<String> {
        self.read("sys/devices/system/cpu/isolated").map(|text| text.trim().to_owned())
    }

    /// How often the scheduler's tick comes [Hz], from the kernel's configuration.
    pub fn tick_rate(&self) -> Option<u64> {
        let path = format!("boot/config-{}", kernel_release());
        let text = self.read(&path).or_else(|| packed_configuration(&self.path("proc/config.gz")))?;
        kernel_setting(&text, "CONFIG_HZ")?.parse().ok()
    }

    /// The share of each second that real-time threads may take [µs]; −1 for all.
    pub fn real_time_runtime(&self) -> Option<i64> {
        self.read("proc/sys/kernel/sched_rt_runtime_us")?.trim().parse().ok()
    }

    /// How late this program's timers may fire [ns].
    pub fn timer_slack(&self) -> Option<u64> {
        self.read("proc/self/timerslack_ns")?.trim().parse().ok()
    }

    /// How many cores there are.
    pub fn cores(&self) -> usize {
        let is_core = |name: &String| name.strip_prefix("cpu").is_some_and(|rest| rest.parse::<u32>().is_ok());
        self.names("sys/devices/system/cpu").iter().filter(|name| is_core(name)).count()
    }

    /// All network interfaces, by name.
    pub fn interfaces(&self) -> Vec<Interface> {
        let routes = self.read("proc/net/route").unwrap_or_default();
        let own = default_route(&routes);
        self.names("sys/class/net").into_iter().map(|name| self.interface(name, own.as_deref())).collect()
    }

    fn interface(&self, name: String, default_route: Option<&str>) -> Interface {
        let folder = format!("sys/class/net/{name}");
        let number = |file: &str| self.read(&format!("{folder}/{file}"))?.trim().parse::<i64>().ok();
        let driver = std::fs::read_link(self.path(&format!("{folder}/device/driver"))).ok();
        let driver = driver.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        let has = |file: &str| self.path(&format!("{folder}/{file}")).exists();
        Interface {
            // ARPHRD_ETHER of `linux/if_arp.h`; what the kernel makes itself has no device
            is_wired_card: number("type") == Some(1) && has("device") && !has("wireless") && !has("phy80211"),
            speed: number("speed").filter(|speed| *speed > 0),
            has_link: number("carrier") == Some(1),
            carries_default_route: default_route == Some(name.as_str()),
            driver: driver.unwrap_or_else(|| "unknown driver".to_owned()),
            name,
        }
    }

    /// Tries to make a network of its own with a pair of virtual cards; it is gone when the trial ends.
    pub fn namespaces(&self) -> Namespaces {
        let pair = ["ip", "link", "add", "chiron0", "type", "veth", "peer", "name", "chiron1"];
        match Command::new("unshare").arg("-Urn").args(pair).output() {
            Err(_) => Namespaces::NoTool("unshare"),
            Ok(output) => trial(output.status.success(), &String::from_utf8_lossy(&output.stderr)),
        }
    }

    /// The Vulkan drivers that the loader would find, by file name.
    pub fn vulkan_drivers(&self) -> Vec<String> {
        let is_json = |name: &String| name.ends_with(".json");
        let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().find_map(|name| self.variable(name));
        match named {
            Some(files) => files.split(':').filter(|file| self.path(file).is_file()).map(str::to_owned).collect(),
            None => DRIVER_FOLDERS.iter().flat_map(|folder| self.names(folder)).filter(is_json).collect(),
        }
    }

    /// Whether a graphics card can be reached.
    pub fn has_graphics_card(&self) -> bool {
        self.names("dev/dri").iter().any(|name| name.starts_with("renderD")) || self.path("dev/nvidiactl").exists()
    }

    /// Whether a shared library lies where the linker looks.
    pub fn has_library(&self, name: &str) -> bool {
        let paths = self.variable("LD_LIBRARY_PATH").unwrap_or_default().split(':').filter(|path| !path.is_empty());
        paths.chain(LIBRARY_FOLDERS).any(|folder| self.path(folder).join(name).exists())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path(path)).ok()
    }

    /// The names in a folder, sorted; none if there is no folder.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Tries to write a file in the working directory, and takes it away again.
pub fn can_write_here() -> std::io::Result<()> {
    let path = Path::new(".").join(format!(".chiron-doctor-{}", std::process::id()));
    std::fs::write(&path, b"")?;
    std::fs::remove_file(&path)
}

/// The kernel's release, for example `6.12.9-rt5-amd64`.
pub fn kernel_release() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

/// Room where the working directory lies; `None` where nobody can tell.
pub fn free_space() -> Option<Space> {
    let here = std::env::current_dir().ok()?;
    let disk = rustix::fs::statvfs(&here).ok()?;
    let device = |folder: &Path| folder.metadata().ok().map(|folder| folder.dev());
    let mount = here.ancestors().take_while(|folder| device(folder) == device(&here)).last()?;
    Some(Space { free: disk.f_bavail.checked_mul(disk.f_frsize)?, mount: mount.display().to_string() })
}

/// What the trial of a network of one's own says.
fn trial(worked: bool, complaint: &str) -> Namespaces {
    let line = complaint.lines().next().unwrap_or_default().trim();
    match worked {
        true => Namespaces::Available,
        false if line.contains("No such file") => Namespaces::NoTool("ip"),
        false => Namespaces::Refused(line.to_owned()),
    }
}

/// The kernel's configuration where the kernel carries it itself.
fn packed_configuration(path: &Path) -> Option<String> {
    let output = Command::new("zcat").arg(path).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// A line of the kernel's configuration, for example `CONFIG_HZ=250`.
fn kernel_setting<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
}

/// The interface of the default route in /proc/net/route: the first whose destination and mask are zero.
fn default_route(text: &str) -> Option<String> {
    let mut routes = text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_default = |route: &Vec<&str>| route.get(1) == Some(&"00000000") && route.get(7) == Some(&"00000000");
    routes.find(is_default).and_then(|route| route.first().map(|name| (*name).to_owned()))
}

/// A field of /proc/meminfo [bytes].
fn kibibytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// A bit of the effective capabilities in /proc/self/status.
fn capability(status: &str, bit: u32) -> Option<bool> {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    let set = u64::from_str_radix(line.trim(), 16).ok()?;
    Some(set >> bit & 1 == 1)
}

fn preemption(says_so: bool, version: &str) -> Option<&'static str> {
    let words = || version.split(|c: char| c.is_whitespace() || c == '-');
    if says_so || words().any(|word| word == "PREEMPT_RT") {
        Some("PREEMPT_RT")
    } else if words().any(|word| word == "lowlatency") {
        Some("low latency")
    } else {
        None
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
