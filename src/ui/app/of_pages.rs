//! The effect of each command of a single page.

use crate::run::event::Wish;
use crate::session::Session;
use crate::ui::page_commands::{
    CollectCommand, ExperimentCommand, LearnCommand, PlaceCommand, PluginCommand, PredictCommand,
    TourCommand, TrainCommand,
};

pub(super) fn experiment(session: &mut Session, command: ExperimentCommand) {
    match command {
        ExperimentCommand::UseCorrected(on) => session.use_corrected(on),
        ExperimentCommand::Download(item) => session.download(item),
        ExperimentCommand::StopDownload(item) => session.stop_download(&item),
        ExperimentCommand::Arrive(at_once) => session.arrive(at_once),
        ExperimentCommand::TryMethods => session.try_methods(),
        ExperimentCommand::StopTrying => session.stop_trying(),
        ExperimentCommand::UseTried(place) => session.use_tried(place),
    }
}

pub(super) fn place(session: &mut Session, command: PlaceCommand) {
    match command {
        PlaceCommand::Choose(name) => session.choose_place(Some(name)),
        PlaceCommand::Watch(name) => session.watch(name),
        PlaceCommand::Pause(name) => session.wish_at(&name, Wish::Pause),
        PlaceCommand::GoOn(name) => session.wish_at(&name, Wish::Run),
        PlaceCommand::Stop(name, job) => session.stop_at(&name, job),
        PlaceCommand::TakeOut(name, job) => session.take_out_at(&name, job),
        PlaceCommand::LetGo(name) => session.let_go_at(&name),
        PlaceCommand::AskClusters => session.watch_clusters(),
        PlaceCommand::Cancel(folder) => session.cancel_on_cluster(folder),
        PlaceCommand::Forget(folder) => session.forget_on_cluster(&folder),
    }
}

pub(super) fn train(session: &mut Session, command: TrainCommand) {
    match command {
        TrainCommand::Beside(beside) => session.train.beside = beside,
        TrainCommand::CorrectLabel(data, split, index, class) => {
            session.correct_label(&data, split, index, class);
        }
        TrainCommand::LookAgain(run, task) => {
            if let Some(run) = session.train.run_in(&run).cloned() {
                session.look_again(&run, task);
            }
        }
        TrainCommand::LookForDoubts(run, task) => session.look_for_doubts(&run, task),
        TrainCommand::StopDoubts(run, task) => session.stop_doubts(&run, task),
    }
}

pub(super) fn predict(session: &mut Session, command: PredictCommand) {
    match command {
        PredictCommand::Ask(run) => session.choose_predictor(run),
        PredictCommand::FollowNewest => session.unpin_predictor(),
        PredictCommand::AskGiven => session.predict_given(),
        PredictCommand::ForgetPicture => session.predict.forget_picture(),
        PredictCommand::LookAtTask(task) => session.predict.task = task,
        PredictCommand::Pin(picture, truth) => drop(session.pin(picture, truth)),
        PredictCommand::Unpin(pin) => session.unpin(pin),
        PredictCommand::ShowPinsTo(run) => session.show_pins_to(run),
        PredictCommand::HidePinsFrom(run) => session.hide_pins_from(&run),
        PredictCommand::CountRefusals => session.count_refusals(),
        PredictCommand::StopSheet => session.stop_sheet(),
        PredictCommand::LeaveSheet => session.leave_sheet(),
        PredictCommand::Move(at, group) => session.move_sorted(at, group),
        PredictCommand::KeepMoved => session.keep_sorted(),
        PredictCommand::Reveal(path) => session.reveal(&path),
    }
}

pub(super) fn plugins(session: &mut Session, command: PluginCommand) {
    match command {
        PluginCommand::New => session.write_plugin(),
        PluginCommand::EditCopy(name) => session.edit_copy(&name),
        PluginCommand::Edit(name) => session.edit_file(&name),
        PluginCommand::Type(text) => session.edit_plugin(text),
        PluginCommand::Save => session.save_plugin(),
        PluginCommand::Use => session.use_plugin(),
        PluginCommand::Duplicate => session.duplicate_plugin(),
        PluginCommand::Close => session.close_plugin(),
        PluginCommand::GoOn => session.go_on_with_left(),
        PluginCommand::DropLeft => drop(session.editor.left.pop()),
        PluginCommand::Reveal(path) => session.reveal(&path),
        PluginCommand::Allow(file) => session.allow_plugin(file),
        PluginCommand::AllowOpen => session.allow_open_plugin(),
        PluginCommand::Settle(take_theirs) => session.settle_plugin(take_theirs),
        PluginCommand::Look => session.look_at_plugins(),
        PluginCommand::Try => session.try_plugin(),
        PluginCommand::StopTrying => session.stop_trying_plugin(),
        PluginCommand::LookAt(file) => session.look_at_plugin(file),
    }
}

pub(super) fn learn(session: &mut Session, command: LearnCommand) {
    match command {
        LearnCommand::ReadUnits => session.read_units(),
        LearnCommand::WriteUnit => session.write_unit(),
        LearnCommand::ShowUnits => session.show_units(),
        LearnCommand::Open(unit) => session.open_unit(unit),
        LearnCommand::StartOver => session.learn.units.start_over(),
        LearnCommand::Answer(ask, given) => session.learn.units.answer(&ask, given),
        LearnCommand::Run(part) => session.run_unit(part),
        LearnCommand::Teach(teach) => session.teach_unit(&teach),
    }
}

pub(super) fn tour(session: &mut Session, command: TourCommand) {
    match command {
        TourCommand::Leave => session.leave_tour(),
        TourCommand::Pin(which, picture) => session.pin_drawn(which, picture),
        TourCommand::Unpin(which) => session.unpin_drawn(which),
        TourCommand::Train => session.train_toured(),
        TourCommand::LineUp => session.line_up_toured(),
        TourCommand::TrainAgain => session.train_toured_again(),
        TourCommand::GoOn => session.go_on_toured(),
        TourCommand::Guess(fate) => session.guess_fate(fate),
        TourCommand::LookAtTask(task) => session.look_at_toured(task),
        TourCommand::Conclude => session.conclude_tour(),
        TourCommand::Keep => session.keep_toured(),
        TourCommand::Drop => session.drop_toured(),
    }
}

pub(super) fn collect(session: &mut Session, command: CollectCommand) {
    let made = &mut session.collection;
    match command {
        CollectCommand::Add(picture) => session.collect(picture),
        CollectCommand::AddFile(path) => session.collect_file(path),
        CollectCommand::Choose(class) => made.choose(class),
        CollectCommand::Rename(class, name) => made.rename(class, name),
        CollectCommand::AddClass => made.add_group(),
        CollectCommand::RemoveClass(class) => made.remove_group(class),
        CollectCommand::RemovePicture(class, index) => made.remove(class, index),
        CollectCommand::PutBack => made.put_back(),
        CollectCommand::NameFolder(name) => made.name = name,
    }
}
