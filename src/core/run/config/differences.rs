//! In what settings differ.

use super::RunConfig;
use crate::data::short_mended;

/// Two settings side by side where they differ: key, then one value per run.
pub fn differences(configs: &[&RunConfig]) -> Vec<(String, Vec<String>)> {
    let tables: Vec<toml::Table> = configs.iter().map(|config| flat(config)).collect();
    let mut keys: Vec<&String> = Vec::new();
    for table in &tables {
        for key in table.keys() {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    let shown = |table: &toml::Table, key: &str| match table.get(key) {
        None => "–".to_string(),
        Some(toml::Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let row = |key: &String| {
        let values = tables.iter().map(|table| shown(table, key)).collect();
        (key.clone(), values)
    };
    keys.into_iter().map(row).filter(differs).collect()
}

/// Whether these values are not all the same.
pub fn differs((_, values): &(String, Vec<String>)) -> bool {
    values.windows(2).any(|pair| pair[0] != pair[1])
}

/// All settings as one table: the method's own beside the others.
fn flat(config: &RunConfig) -> toml::Table {
    let mut table = toml::Table::try_from(config).unwrap_or_default();
    if let Some(toml::Value::Table(own)) = table.remove("settings") {
        table.extend(own);
    }
    if !config.mended.is_empty() {
        // The whole list would be a page.
        let words = short_mended(&config.mended);
        table.insert("mended".into(), toml::Value::String(words));
    }
    table
}
