//! Files depend on files below them: no file uses, through others, a file that uses it.
//!
//! A path depends on the file that defines what it names, through any re-exports. A re-export itself is no dependency, and tests
//! may use what they test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ItemMod, ItemUse, Macro, Token, UseTree, VisRestricted, Visibility};

/// Segments of a path from the crate's root.
type Module = Vec<String>;

/// The paths that a file names.
struct File<'a> {
    module: Module,
    modules: &'a BTreeSet<Module>,
    /// Paths from the crate's root that the file depends on.
    uses: BTreeSet<Module>,
    /// Re-exported names, with the path of each.
    exports: BTreeMap<String, Module>,
}

impl File<'_> {
    /// The path from the crate's root of one that begins with `crate`, `self`, `super` or a module of this file.
    fn absolute(&self, path: &[String]) -> Option<Module> {
        let mut base = self.module.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while let Some((first, below)) = rest.split_first()
                    && first == "super"
                {
                    base.pop();
                    rest = below;
                }
            }
            first => {
                let child = [&base[..], &[first.to_owned()]].concat();
                if !self.modules.contains(&child) {
                    return None;
                }
            }
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }
}

impl<'ast> Visit<'ast> for File<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if of_tests(&item.attrs) {
            return;
        }
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if of_tests(&item.attrs) {
            return;
        }
        let mut leaves = Vec::new();
        spread(&item.tree, &mut Vec::new(), &mut leaves);
        for (path, name) in leaves {
            let Some(path) = self.absolute(&path) else { continue };
            if matches!(item.vis, Visibility::Inherited) {
                self.uses.insert(path);
            } else {
                self.exports.insert(name, path);
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1
            && let Some(path) = self.absolute(&segments)
        {
            self.uses.insert(path);
        }
        visit::visit_path(self, path);
    }

    /// Reads the arguments of `format!` and its like. Others, such as `view!`, name what `use` has brought in.
    fn visit_macro(&mut self, item: &'ast Macro) {
        if let Ok(arguments) = item.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            for argument in &arguments {
                self.visit_expr(argument);
            }
        }
    }

    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}

/// Returns true for what is compiled into tests only.
fn of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// The paths of a `use`, each with the name that it is given.
fn spread(tree: &UseTree, path: &mut Module, leaves: &mut Vec<(Module, String)>) {
    let mut leaf = |last: &str, name: String| {
        // `self` in braces is the module before them.
        let last = (last != "self" || path.is_empty()).then(|| last.to_owned());
        leaves.push((path.iter().cloned().chain(last).collect(), name));
    };
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            spread(&inner.tree, path, leaves);
            path.pop();
        }
        UseTree::Name(name) => leaf(&name.ident.to_string(), name.ident.to_string()),
        UseTree::Rename(rename) => leaf(&rename.ident.to_string(), rename.rename.to_string()),
        UseTree::Glob(_) => leaf("self", "*".to_owned()),
        UseTree::Group(group) => {
            for tree in &group.items {
                spread(tree, path, leaves);
            }
        }
    }
}

/// All files below a folder, with the module that each holds.
fn sources(folder: &Path, module: &Module, found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let child = [&module[..], std::slice::from_ref(&stem)].concat();
        if path.is_dir() {
            sources(&path, &child, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "main" {
            let module = if ["mod", "lib"].contains(&&*stem) { module.clone() } else { child };
            found.insert(module, fs::read_to_string(&path).expect("a source"));
        }
    }
}

/// The module whose file defines what a path names. Re-exports are followed a few steps, which ends those that name each other.
fn defined_in(path: &Module, files: &BTreeMap<Module, File<'_>>, steps: usize) -> Module {
    let known = (0..=path.len()).rev().find(|length| files.contains_key(&path[..*length]));
    let module = path[..known.unwrap_or(0)].to_vec();
    let Some(name) = path.get(module.len()) else { return module };
    match files.get(&module).and_then(|file| file.exports.get(name)) {
        Some(origin) if steps > 0 => {
            let rest = &path[module.len() + 1..];
            defined_in(&[&origin[..], rest].concat(), files, steps - 1)
        }
        _ => module,
    }
}

/// What is left of a graph once every node without a way into a circle, or out of one, is gone.
fn circles(mut edges: BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    loop {
        let before = edges.len();
        edges.retain(|_, below| !below.is_empty());
        let used: BTreeSet<Module> = edges.values().flatten().cloned().collect();
        edges.retain(|module, _| used.contains(module));
        let left: BTreeSet<Module> = edges.keys().cloned().collect();
        for below in edges.values_mut() {
            below.retain(|module| left.contains(module));
        }
        if edges.len() == before {
            return edges;
        }
    }
}

#[test]
fn no_file_uses_one_that_uses_it() {
    let mut texts = BTreeMap::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &Vec::new(), &mut texts);
    let modules: BTreeSet<Module> = texts.keys().cloned().collect();
    assert!(modules.len() > 500, "{} files", modules.len());
    let read = |(module, text): (&Module, &String)| {
        let mut file = File {
            module: module.clone(),
            modules: &modules,
            uses: BTreeSet::new(),
            exports: BTreeMap::new(),
        };
        file.visit_file(&syn::parse_file(text).expect("Rust"));
        (module.clone(), file)
    };
    let files: BTreeMap<Module, File<'_>> = texts.iter().map(read).collect();
    let below = |file: &File<'_>| -> BTreeSet<Module> {
        let used = file.uses.iter().map(|path| defined_in(path, &files, 6));
        used.filter(|module| *module != file.module).collect()
    };
    let edges = files.iter().map(|(module, file)| (module.clone(), below(file))).collect();
    let left = circles(edges);
    let lines = left.iter().map(|(module, below)| {
        let below: Vec<String> = below.iter().map(|module| module.join("::")).collect();
        format!("{} uses {}", module.join("::"), below.join(", "))
    });
    let lines: Vec<String> = lines.collect();
    assert!(lines.is_empty(), "circles of files:\n{}", lines.join("\n"));
}

#[test]
fn a_circle_is_found() {
    let module = |name: &str| vec![name.to_owned()];
    let edge = |from: &str, to: &[&str]| (module(from), to.iter().map(|name| module(name)).collect());
    let edges = [edge("top", &["a"]), edge("a", &["b"]), edge("b", &["a", "low"]), edge("low", &[])];
    let left: Vec<Module> = circles(edges.into_iter().collect()).into_keys().collect();
    assert_eq!(left, [module("a"), module("b")]);
}
