//! The loss of iCaRL: each class has its own output σ(z), trained by binary cross-entropy.

use burn::tensor::activation::{log_sigmoid, sigmoid};
use burn::tensor::{Device, Tensor, TensorData};

use super::super::Task;

/// Returns the targets for the outputs of the task's own classes (images × classes): 1 for the class of the image and 0
/// for others, moved by ε/2 towards one half with label smoothing. All targets of an exemplar are 0, because its class
/// is from an earlier task.
pub(super) fn targets(labels: &[usize], task: &Task, smoothing: f64, device: &Device) -> Tensor<2> {
    let [negative, positive] = [0.5 * smoothing, 1.0 - 0.5 * smoothing].map(|target| target as f32);
    let rows = labels.iter().flat_map(|label| {
        let classes = task.classes.clone();
        classes.map(move |class| if class == *label { positive } else { negative })
    });
    let values: Vec<f32> = rows.collect();
    Tensor::from_data(TensorData::new(values, [labels.len(), task.classes.len()]), device)
}

/// Returns the mean over images of the sum over classes of −t·ln σ(z) − (1 − t)·ln(1 − σ(z)), where only the logits z
/// track gradients, not the targets t. The gradient is computed as σ(z) − t, which is exactly 0 if output and target
/// are equal.
pub(super) fn binary_cross_entropy(logits: Tensor<2>, target: Tensor<2>) -> Tensor<1> {
    let images = logits.dims()[0].max(1) as f64;
    let z = logits.clone().inner();
    let gradient = (sigmoid(z.clone()) - target.clone()) / images;
    let positive = log_sigmoid(z.clone()) * target.clone();
    let negative = log_sigmoid(z.neg()) * (target.neg() + 1.0);
    let loss = (positive + negative).sum() / -images;
    let weighted = (logits * gradient).sum();
    weighted.clone() - weighted.inner() + loss
}

#[cfg(test)]
mod tests {
    use super::super::super::Backward;
    use super::*;
    use crate::tensors::HostTensor;

    #[test]
    fn loss_is_binary_cross_entropy_over_new_classes() {
        let device = Device::flex();
        let task = Task { index: 1, classes: 2..4 };
        let targets_of_batch = targets(&[3, 0], &task, 0.0, &device);
        let values = HostTensor::read(&targets_of_batch).unwrap().values;
        assert_eq!(values, [0.0, 1.0, 0.0, 0.0]);
        let smooth = HostTensor::read(&targets(&[2], &task, 0.2, &device));
        assert_eq!(smooth.unwrap().values, [0.9, 0.1]);
        let logits = [0.5f32, -40.0, 2.0, -1.0];
        let logits_tensor = TensorData::new(logits.to_vec(), [2, 2]);
        let logits_tensor =
            Tensor::<2>::from_data(logits_tensor, &device).autodiff().require_grad();
        let loss = binary_cross_entropy(logits_tensor.clone(), targets_of_batch);
        let backward = Backward::from_loss(loss).with_gradients([("z", &logits_tensor)]).unwrap();
        let (loss, gradients) = backward.into_parts();
        let softplus = |z: f32| z.max(0.0) + (-z.abs()).exp().ln_1p();
        let terms = logits.iter().zip(&values);
        let expected: f32 =
            terms.clone().map(|(z, t)| t * softplus(-z) + (1.0 - t) * softplus(*z)).sum();
        assert!((loss.into_scalar::<f32>() - expected / 2.0).abs() < 1e-5);
        let gradient = HostTensor::read(gradients.get("z").unwrap()).unwrap();
        for (actual, (z, t)) in gradient.values.iter().zip(terms) {
            let expected_gradient = (1.0 / (1.0 + (-z).exp()) - t) / 2.0;
            assert!((actual - expected_gradient).abs() < 1e-6, "{actual} {expected_gradient}");
        }
    }
}
