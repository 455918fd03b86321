//! In which settings runs differ.

use crate::run::config::RunConfig;

/// Two settings side by side where they differ: key, then one value per run.
pub fn differences(configs: &[&RunConfig]) -> Vec<(String, Vec<String>)> {
    let tables: Vec<toml::Table> = configs
        .iter()
        .map(|config| toml::Table::try_from(config).unwrap_or_default())
        .collect();
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
    keys.into_iter()
        .map(|key| {
            let values = tables.iter().map(|table| shown(table, key)).collect();
            (key.clone(), values)
        })
        .filter(|(_, values): &(String, Vec<String>)| {
            values.windows(2).any(|pair| pair[0] != pair[1])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::config::MethodName;

    #[test]
    fn only_the_settings_that_differ_are_listed() {
        let a = RunConfig::default();
        let b = RunConfig {
            method: MethodName::Baseline,
            train_limit: Some(5),
            ..RunConfig::default()
        };
        let rows = differences(&[&a, &b]);
        assert_eq!(rows.len(), 2);
        let method = rows.iter().find(|(key, _)| key == "method");
        assert_eq!(
            method.map(|(_, values)| values.clone()),
            Some(vec!["lae".to_string(), "baseline".to_string()])
        );
        assert!(rows.iter().any(|(_, v)| v[0] == "–" && v[1] == "5"));
        assert!(differences(&[&a, &a]).is_empty());
    }
}
