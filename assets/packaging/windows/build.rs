//! Gives the program on Windows its icon, and the name that the task manager and the firewall show.

fn main() {
    println!("cargo:rerun-if-changed=assets/packaging/windows/build.rs");
    println!("cargo:rerun-if-changed=assets/packaging/icons/icon.ico");
    #[cfg(windows)]
    dress();
}

#[cfg(windows)]
fn dress() {
    let mut resources = winresource::WindowsResource::new();
    resources
        .set_icon("assets/packaging/icons/icon.ico")
        .set("ProductName", "LAE Studio")
        .set("FileDescription", "LAE Studio");
    // A program without an icon is a program.
    if let Err(error) = resources.compile() {
        println!("cargo:warning=no icon for the program: {error}");
    }
}
