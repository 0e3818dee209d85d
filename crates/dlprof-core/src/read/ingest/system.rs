//! Tables that describe the export, the machine and the processes.

use super::database::Database;
use crate::base::Error;
use crate::base::diagnostics::Diagnostics;
use crate::base::time::Ns;
use crate::read::facts::{Device, RecordedSystem};
use regex::Regex;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The name/value tables of an export that say which nsys made it, and how.
pub(super) struct ExportMeta {
    pub(super) product_version: String,
    pub(super) schema_version: String,
    /// `EXPORT_CONFIG_TIME_SHIFT`: what was added to every time.
    pub(super) time_shift: Option<Ns>,
}

/// Reads `META_DATA_EXPORT` (nsys 2023.4 on) or `EXPORT_META_DATA` (2022 to 2023.2).
pub(super) fn read_export_meta(database: &Database) -> Result<ExportMeta, Error> {
    let mut values = read_pairs(database, "EXPORT_META_DATA")?;
    values.extend(read_pairs(database, "META_DATA_EXPORT")?);
    let mut take = |name: &str| values.remove(name).unwrap_or_default();
    Ok(ExportMeta {
        product_version: take("EXPORT_PRODUCT_VERSION"),
        schema_version: take("EXPORT_SCHEMA_VERSION"),
        time_shift: take("EXPORT_CONFIG_TIME_SHIFT").trim().parse().ok(),
    })
}

/// `utcEpochNs` of `TARGET_INFO_SESSION_START_TIME`.
pub(super) fn read_session_start(
    database: &Database,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Ns>, Error> {
    let mut start = None;
    database.read("TARGET_INFO_SESSION_START_TIME", &["utcEpochNs"], |row| {
        start = start.or(row.int(0, diagnostics));
    })?;
    Ok(start)
}

fn read_pairs(database: &Database, table: &str) -> Result<BTreeMap<String, String>, Error> {
    let mut pairs = BTreeMap::new();
    database.read(table, &["name", "value"], |row| {
        if let (Some(name), Some(value)) = (row.text(0), row.text(1)) {
            pairs.entry(name).or_insert(value);
        }
    })?;
    Ok(pairs)
}

/// Names of processes by global process id.
pub(super) fn read_process_names(
    database: &Database,
    diagnostics: &mut Diagnostics,
) -> Result<FxHashMap<i64, String>, Error> {
    let mut names = FxHashMap::default();
    database.read("PROCESSES", &["globalPid", "name"], |row| {
        if let (Some(pid), Some(name)) = (row.int(0, diagnostics), row.text(1)) {
            names.insert(pid, name);
        }
    })?;
    Ok(names)
}

/// The system block. What DLProf itself recorded (`SystemInfo`) wins over what nsys knows.
pub(super) fn read_system(
    database: &Database,
    meta: &ExportMeta,
    gpus: &[Device],
) -> Result<RecordedSystem, Error> {
    let environment = read_pairs(database, "TARGET_INFO_SYSTEM_ENV")?;
    let value = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    let nsys = RecordedSystem {
        gpu_count: gpus.len(),
        gpu_names: RecordedSystem::names_of(gpus),
        cpu_model: value("CpuDescription").or_else(|| value("CpuName")).cloned(),
        driver_version: value("NvDriverVersion").and_then(|version| driver_version(version)),
        cuda_version: value("CudaDriverVersion").and_then(|version| cuda_version(version)),
        cudnn_version: None,
        framework: None,
        nsys_version: Some(meta.product_version.clone()).filter(|version| !version.is_empty()),
        recorded_by: value("TargetInstallDir").and_then(|folder| version_of_folder(folder)),
    };
    Ok(with_dlprof_system_info(nsys, read_dlprof_system_info(database)?))
}

const SYSTEM_INFO_COLUMNS: [&str; 7] =
    ["gpuCount", "driverVersion", "cudaVersion", "cudnnVersion", "framework", "nsysVersion", "cpuModel"];

type SystemInfoCells = [Option<String>; SYSTEM_INFO_COLUMNS.len()];

/// Table `SystemInfo`, which DLProf adds to the export it reads. Empty cells are `None`.
fn read_dlprof_system_info(database: &Database) -> Result<SystemInfoCells, Error> {
    let mut cells: Option<SystemInfoCells> = None;
    database.read("SystemInfo", &SYSTEM_INFO_COLUMNS, |row| {
        let read = std::array::from_fn(|column| row.text(column).filter(|text| !text.is_empty()));
        cells.get_or_insert(read);
    })?;
    Ok(cells.unwrap_or_default())
}

fn with_dlprof_system_info(nsys: RecordedSystem, cells: SystemInfoCells) -> RecordedSystem {
    let [gpu_count, driver, cuda, cudnn, framework, nsys_version, cpu_model] = cells;
    RecordedSystem {
        gpu_count: gpu_count.and_then(|count| count.trim().parse().ok()).unwrap_or(nsys.gpu_count),
        gpu_names: nsys.gpu_names,
        cpu_model: cpu_model.or(nsys.cpu_model),
        driver_version: driver.or(nsys.driver_version),
        cuda_version: cuda.or(nsys.cuda_version),
        cudnn_version: cudnn,
        framework,
        nsys_version: nsys_version.or(nsys.nsys_version),
        recorded_by: nsys.recorded_by,
    }
}

static NSYS_FOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)nsight[- ]?systems(?:-cli)?[-/\\ ](\d{4}\.\d+\.\d+)\b").expect("a constant")
});

/// The version in the name of the folder in which nsys was installed: `/opt/nvidia/nsight-systems/2022.1.3/target-linux-x64`.
/// Folders of other programs that bring nsys along name their own version.
fn version_of_folder(folder: &str) -> Option<String> {
    NSYS_FOLDER.captures(folder).and_then(|found| found.get(1)).map(|version| version.as_str().to_owned())
}

/// `5154304` → `515.43.04`, `52512506` → `525.125.06`; a dotted text stays, 0 is unknown.
fn driver_version(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains('.') || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(text.to_owned());
    }
    if text.len() < 6 {
        return None;
    }
    let (major, rest) = text.split_at(3);
    let (minor, patch) = rest.split_at(rest.len() - 2);
    Some(format!("{major}.{minor}.{patch}"))
}

/// `11070` → `11.7`; a dotted text stays, 0 is unknown.
fn cuda_version(text: &str) -> Option<String> {
    let text = text.trim();
    match text.parse::<u32>() {
        Ok(0) => None,
        Ok(number) => Some(format!("{}.{}", number / 1000, number % 1000 / 10)),
        Err(_) => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_the_version_that_recorded() {
        for (folder, version) in [
            ("/opt/nvidia/nsight-systems/2022.1.3/target-linux-x64", Some("2022.1.3")),
            ("/usr/local/cuda-12.4/nsight-systems-2023.4.4/target-linux-x64", Some("2023.4.4")),
            ("/usr/local/cuda-12.8/NsightSystems-cli-2024.6.2/target-linux-x64", Some("2024.6.2")),
            ("/opt/nvidia/nsight-systems-cli/2026.2.1/target-linux-x64", Some("2026.2.1")),
            (
                "C:\\Program Files\\NVIDIA Corporation\\Nsight Systems 2023.4.4\\target-windows-x64",
                Some("2023.4.4"),
            ),
            ("/opt/nvidia/nsight-compute/2023.2.0/host/target-linux-x64", None),
            ("/opt/nsys", None),
        ] {
            assert_eq!(version_of_folder(folder).as_deref(), version, "{folder}");
        }
    }

    #[test]
    fn both_versions_are_said_where_they_differ() {
        let words = |recorded: Option<&str>, exported: Option<&str>| {
            let [recorded_by, nsys_version] = [recorded, exported].map(|version| version.map(str::to_owned));
            RecordedSystem { recorded_by, nsys_version, ..RecordedSystem::default() }.nsys_in_words()
        };
        let both = words(Some("2022.1.3"), Some("2024.2.3.38"));
        assert_eq!(both.as_deref(), Some("recorded by nsys 2022.1.3, exported by 2024.2.3.38"));
        assert_eq!(words(Some("2024.2.3"), Some("2024.2.3.38")).as_deref(), Some("nsys 2024.2.3.38"));
        assert_eq!(words(Some("2022.1.3"), None).as_deref(), Some("recorded by nsys 2022.1.3"));
        assert_eq!(words(None, Some("2024.2.3.38")).as_deref(), Some("exported by nsys 2024.2.3.38"));
        assert_eq!(words(None, None), None);
    }

    #[test]
    fn driver_and_cuda_numbers_become_versions() {
        assert_eq!(driver_version("5154304").as_deref(), Some("515.43.04"));
        assert_eq!(driver_version("52512506").as_deref(), Some("525.125.06"));
        assert_eq!(driver_version("550.54.15").as_deref(), Some("550.54.15"));
        assert_eq!(driver_version("0"), None);
        assert_eq!(cuda_version("11070").as_deref(), Some("11.7"));
        assert_eq!(cuda_version("12.4").as_deref(), Some("12.4"));
        assert_eq!(cuda_version("0"), None);
    }
}
