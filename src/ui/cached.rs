//! Values that are computed again only if their inputs change.

use std::sync::Arc;

/// A value with the inputs from which it was computed.
pub struct Cached<K, V>(Option<(K, V)>);

impl<K, V> Default for Cached<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V: Clone> Cached<K, V> {
    /// Returns the value for these inputs. It is computed if they differ from those of the last call.
    pub fn get(&mut self, inputs: K, compute: impl FnOnce() -> V) -> V {
        if let Some((cached_inputs, value)) = &self.0
            && *cached_inputs == inputs
        {
            return value.clone();
        }
        let value = compute();
        self.0 = Some((inputs, value.clone()));
        value
    }
}

/// Shared data as an input. It is compared by its address, because comparing its content would take long.
pub struct Shared<T: ?Sized>(pub Arc<T>);

impl<T: ?Sized> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
