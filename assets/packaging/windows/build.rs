//! Adds the icon, and the name that Task Manager and the firewall show, to the program on Windows.

fn main() {
    println!("cargo:rerun-if-changed=assets/packaging/windows/build.rs");
    println!("cargo:rerun-if-changed=assets/packaging/icons/icon.ico");
    #[cfg(windows)]
    add_resources();
}

#[cfg(windows)]
fn add_resources() {
    let mut resources = winresource::WindowsResource::new();
    resources
        .set_icon("assets/packaging/icons/icon.ico")
        .set("ProductName", "LAE Studio")
        .set("FileDescription", "LAE Studio");
    // The program works without an icon.
    if let Err(error) = resources.compile() {
        println!("cargo:warning=no icon for the program: {error}");
    }
}
