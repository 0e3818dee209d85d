//! A table of a log: what each of its columns is, and its rows, which become values of launches.

use super::cells::{Cell, parts_of, read_cell};
use super::draft::{Drafts, is_coarse};
use super::header::{Header, is_identity, is_range_column};
use super::launch::{NcuForm, NcuLaunch};
use super::launch_figures::NcuFigures;
use super::metric::{MetricId, Parts, Value};
use super::metric_names::metric_name;
use super::numbers::{Evidence, whole_number};
use super::ranges::{fields_behind, of_domain, size_of, with_domains};
use super::records::{Record, text};
use super::units::unit;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

/// No kernel is launched more often in a run; so many launches of so many rows can be added up.
const MOST_INVOCATIONS: u64 = 4_294_967_295;

/// How a value of a column or a cell is read.
#[derive(Debug, Clone, Copy)]
struct Plan {
    metric: Option<MetricId>,
    unit: u16,
    factor: f64,
}

/// What a column of the raw page is.
#[derive(Debug, Clone)]
enum Column {
    /// Who the launch is.
    Identity,
    /// A text.
    Text(String),
    /// A value, and whether its numbers show how the file writes them.
    Value(String, Plan, bool),
}

/// A table whose rows are read.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) delimiter: u8,
    form: NcuForm,
    number: u32,
    columns: Vec<String>,
    places: FxHashMap<String, usize>,
    /// Of the raw page.
    roles: Vec<Column>,
    ranges: Vec<(usize, usize)>,
    /// Whether the record of units was looked for.
    has_begun: bool,
    /// The launch of an identity, by the cells that tell launches apart.
    known: FxHashMap<u128, Option<usize>>,
    last: Option<(Vec<u8>, Option<usize>)>,
    identity: Vec<usize>,
    /// Plans of cells by section, label, body item and unit.
    plans: FxHashMap<Vec<u8>, (Plan, String)>,
    scratch: Vec<u8>,
}

impl Table {
    pub(super) fn new(header: Header, form: NcuForm, number: u32) -> Self {
        let Header { delimiter, columns, .. } = header;
        let mut places = FxHashMap::default();
        for (place, column) in columns.iter().enumerate() {
            places.entry(column.clone()).or_insert(place);
        }
        let ranges = (columns.iter().enumerate())
            .filter(|(_, column)| *column != "Domain" && is_range_column(column))
            .map(|(place, column)| (place, fields_behind(column)))
            .collect();
        let identity = match form {
            NcuForm::Details => ["ID", "Process ID", "Kernel Name"]
                .iter()
                .filter_map(|name| places.get(*name).copied())
                .collect(),
            _ => {
                const OF_VALUES: [&str; 6] =
                    ["Section Name", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"];
                let is_identity = |column: &String| !OF_VALUES.contains(&column.as_str());
                (0..columns.len()).filter(|place| is_identity(&columns[*place])).collect()
            }
        };
        Self {
            delimiter,
            form,
            number,
            columns,
            places,
            roles: Vec::new(),
            ranges,
            has_begun: false,
            known: FxHashMap::default(),
            last: None,
            identity,
            plans: FxHashMap::default(),
            scratch: Vec::new(),
        }
    }

    /// Takes a record.
    pub(super) fn take(&mut self, record: &Record, drafts: &mut Drafts, evidence: &mut Evidence) {
        match self.form {
            NcuForm::Details => self.details_row(record, drafts, evidence),
            NcuForm::Raw => self.raw_row(record, drafts, evidence),
            NcuForm::PerKernel | NcuForm::PerGpu | NcuForm::PerNvtx => {
                self.summary_row(record, drafts, evidence)
            }
        }
    }

    fn details_row(&mut self, record: &Record, drafts: &mut Drafts, evidence: &mut Evidence) {
        drafts.oddities.long_rows += u64::from(record.len() > self.columns.len() + 1);
        let Some(value) = self.cell(record, "Metric Value") else {
            drafts.oddities.short_rows += 1;
            return;
        };
        let launch = self.launch_of(record, drafts);
        let name = self.cell(record, "Metric Name").unwrap_or_default();
        if name.trim_ascii().is_empty() {
            drafts.oddities.rules += 1;
            let cell = text_of(value);
            let _ = read_cell(&cell, evidence);
            return;
        }
        let (plan, key) = self.plan_of(record, drafts);
        self.put(launch, plan, &key, value, drafts, evidence);
    }

    fn summary_row(&mut self, record: &Record, drafts: &mut Drafts, evidence: &mut Evidence) {
        if record.len() < self.columns.len() {
            drafts.oddities.short_rows += 1;
            return;
        }
        let launch = self.launch_of(record, drafts);
        let (plan, key) = self.plan_of(record, drafts);
        let average = self.cell(record, "Average").unwrap_or_default();
        if key.starts_with("device__attribute") {
            if let Some(launch) = launch {
                drafts.put_text(launch, &key, &text(average));
            }
            return;
        }
        let is_put = self.put(launch, plan, &key, average, drafts, evidence);
        let extent = ["Minimum", "Maximum"].map(|name| {
            let cell = text_of(self.cell(record, name)?);
            match read_cell(&cell, evidence) {
                Cell::Number(number, _) => Some((number.value * plan.factor, number.doubtful_mark)),
                Cell::Missing | Cell::Text(_) => None,
            }
        });
        if let (true, true, Some(launch), Some(metric)) = (is_put, drafts.keeps_all, launch, plan.metric) {
            drafts.launches[launch].extents.push((metric, extent));
        }
    }

    fn raw_row(&mut self, record: &Record, drafts: &mut Drafts, evidence: &mut Evidence) {
        if !self.has_begun {
            self.has_begun = true;
            let name = self.cell(record, "Kernel Name").unwrap_or_default();
            let is_units = name.trim_ascii().is_empty();
            self.roles = self.roles_with(is_units.then_some(record), drafts);
            if is_units {
                return;
            }
            drafts.oddities.tables_without_units += 1;
        }
        drafts.oddities.short_rows += u64::from(record.len() < self.columns.len());
        drafts.oddities.long_rows += u64::from(record.len() > self.columns.len());
        let launch = self.new_launch(record, drafts);
        let roles = std::mem::take(&mut self.roles);
        for (place, role) in roles.iter().enumerate() {
            let Some(cell) = record.cell(place) else { break };
            match role {
                Column::Identity => {}
                Column::Text(name) => {
                    if let Some(launch) = launch {
                        drafts.put_text(launch, name, &text(cell));
                    }
                }
                Column::Value(name, plan, true) => {
                    self.put(launch, *plan, name, cell, drafts, evidence);
                }
                Column::Value(name, plan, false) => {
                    self.put(launch, *plan, name, cell, drafts, &mut Evidence::default());
                }
            }
        }
        self.roles = roles;
    }

    fn roles_with(&self, units: Option<&Record>, drafts: &mut Drafts) -> Vec<Column> {
        let role = |(place, column): (usize, &String)| {
            if is_identity(column) || is_range_column(column) {
                return Column::Identity;
            }
            if column.starts_with("device__attribute") || column == "launch__func_cache_config" {
                return Column::Text(column.clone());
            }
            let of_column = units.and_then(|units| units.cell(place)).map_or_else(String::new, text);
            let unit = unit(of_column.trim());
            let plan = Plan { metric: drafts.metric(column), unit: drafts.unit(&unit), factor: unit.factor };
            Column::Value(column.clone(), plan, column.contains("__") && !column.contains("attribute"))
        };
        self.columns.iter().enumerate().map(role).collect()
    }

    /// Keeps the value of a cell; returns whether it is the first of its metric.
    fn put(
        &self,
        launch: Option<usize>,
        plan: Plan,
        name: &str,
        cell: &[u8],
        drafts: &mut Drafts,
        evidence: &mut Evidence,
    ) -> bool {
        let cell = text_of(cell);
        let read = read_cell(&cell, evidence);
        let (Some(launch), Some(metric)) = (launch, plan.metric) else { return false };
        let (number, parts) = match read {
            Cell::Text(text) => {
                drafts.put_text(launch, name, text);
                return false;
            }
            Cell::Missing => (None, None),
            Cell::Number(number, parts) => (Some(number), parts),
        };
        drafts.oddities.coarse_values +=
            u64::from(number.is_some_and(|number| is_coarse(&number, plan.factor)));
        let value = Value {
            metric,
            unit: plan.unit,
            mark: number.and_then(|number| number.doubtful_mark),
            value: number.map_or(f64::NAN, |number| number.value * plan.factor),
        };
        let is_put = drafts.put(launch, value);
        if let Some(parts) = parts.filter(|_| is_put && drafts.with_parts[metric as usize]) {
            let parts = parts_of(parts).filter_map(|(key, number)| {
                let number = Evidence::default().read(number)?;
                Some((drafts.texts.shared(&key), number.value * plan.factor, number.doubtful_mark))
            });
            let parts = parts.collect();
            drafts.launches[launch].parts.push(Parts { metric, parts });
        }
        is_put
    }

    /// How the value of a row of one metric is read, and the name of the metric.
    fn plan_of(&mut self, record: &Record, drafts: &mut Drafts) -> (Plan, String) {
        self.scratch.clear();
        for name in ["Metric Name", "Metric Unit", "Section Name", "Body Item Label"] {
            if let Some(cell) = self.places.get(name).and_then(|place| record.cell(*place)) {
                self.scratch.extend_from_slice(cell);
            }
            self.scratch.push(0);
        }
        if let Some(known) = self.plans.get(&self.scratch) {
            return known.clone();
        }
        let cell = |name: &str| self.cell(record, name).map_or_else(String::new, text);
        let unit = unit(cell("Metric Unit").trim());
        let label = cell("Metric Name");
        let label = label.trim();
        let name = match label.starts_with("device__attribute") {
            true => label.to_owned(),
            false => metric_name(label, &cell("Section Name"), cell("Body Item Label").trim(), &unit.base),
        };
        let plan = Plan { metric: drafts.metric(&name), unit: drafts.unit(&unit), factor: unit.factor };
        self.plans.insert(self.scratch.clone(), (plan, name.clone()));
        (plan, name)
    }

    /// Where the launch is kept that a row of one metric is about; none if it is not.
    fn launch_of(&mut self, record: &Record, drafts: &mut Drafts) -> Option<usize> {
        self.scratch.clear();
        for place in &self.identity {
            self.scratch.extend_from_slice(record.cell(*place).unwrap_or_default());
            self.scratch.push(0);
        }
        if let Some((key, launch)) = &self.last
            && *key == self.scratch
        {
            return *launch;
        }
        // Names are long, and launches many.
        let key = digest(&self.scratch);
        let launch = match self.known.get(&key) {
            Some(launch) => *launch,
            None => {
                let launch = self.new_launch(record, drafts);
                self.known.insert(key, launch);
                launch
            }
        };
        self.last = Some((self.scratch.clone(), launch));
        launch
    }

    fn cell<'r>(&self, record: &'r Record, name: &str) -> Option<&'r [u8]> {
        record.cell(*self.places.get(name)?)
    }

    fn new_launch(&self, record: &Record, drafts: &mut Drafts) -> Option<usize> {
        let cell = |name: &str| self.cell(record, name).map_or(Cow::Borrowed(""), text_of);
        let number = |name: &str| whole_number(&cell(name));
        let invocations = number("Invocations").and_then(|count| u64::try_from(count).ok());
        let is_unread = invocations.is_none() && !cell("Invocations").trim().is_empty();
        drafts.oddities.unread_counts += u64::from(is_unread);
        let texts = &mut drafts.texts;
        let mut ranges = Vec::new();
        match self.places.contains_key("Domain") {
            false => {
                for (place, fields) in &self.ranges {
                    let found = record.cell(*place).map_or(Cow::Borrowed(""), text_of);
                    with_domains(&found, *fields, texts, &mut ranges);
                }
            }
            true => {
                let domain = texts.shared(cell("Domain").trim());
                if let Some((place, fields)) = self.ranges.first() {
                    let found = record.cell(*place).map_or(Cow::Borrowed(""), text_of);
                    ranges = of_domain(&found, &domain, *fields, texts);
                }
            }
        }
        let (block, threads) = size_of(&cell("Block Size"));
        let (grid, blocks) = size_of(&cell("Grid Size"));
        let capability = cell("CC");
        let capability = capability.trim();
        let launch = NcuLaunch {
            block_number: self.number,
            id: number("ID"),
            process_id: number("Process ID"),
            process_name: texts.shared(cell("Process Name").trim()),
            kernel_name: texts.shared(cell("Kernel Name").trim()),
            context: number("Context"),
            stream: number("Stream"),
            device: number("Device").or_else(|| number("Device Id")),
            compute_capability: (!capability.is_empty()).then(|| texts.shared(capability)),
            gpu_name: None,
            block,
            grid,
            threads,
            blocks,
            ranges: ranges.into(),
            invocations: invocations.unwrap_or(1).clamp(1, MOST_INVOCATIONS),
            is_summary: self.form.is_summary(),
            is_failed: false,
            figures: Box::new(NcuFigures::default()),
            metrics: Vec::new(),
            texts: Vec::new(),
        };
        drafts.begin(launch)
    }
}

/// A number of 128 bits that no two texts have in common in practice.
fn digest(bytes: &[u8]) -> u128 {
    // A byte in front changes the state in which the text is hashed, so that texts with one hash in common differ in the other.
    let hash = |front: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(front);
        hasher.write(bytes);
        hasher.finish()
    };
    u128::from(hash(0)) << 64 | u128::from(hash(1))
}

fn text_of(cell: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(cell)
}
