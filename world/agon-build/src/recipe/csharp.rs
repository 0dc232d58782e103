//! C#.

use super::{PROGRAM, RecipeContext, argument, run_by};
use crate::{
    Language,
    plan::{Plan, PlanError, Run, line},
    sources::Scope,
    tools::missing,
};

/// The project file for a bot without one.
const PROJECT: &str = "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>Exe</OutputType>\
    <TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework></PropertyGroup></Project>";

pub(super) fn fill(plan: &mut Plan, context: &RecipeContext<'_>) -> Result<(), PlanError> {
    if context.manifest.build.is_some() {
        plan.run = Run::Made(Vec::new());
        return Ok(());
    }
    let project = context.sources(&[".csproj"]);
    let has = |name: &str| context.tools.find(name).map(|tool| tool.is_some());
    if has("dotnet")? && (!project.is_empty() || !has("mcs")?) {
        let dotnet = context.need(plan, "dotnet")?;
        let project = match &project[..] {
            [] => {
                let file = format!("{PROGRAM}.csproj");
                plan.lines.push(format!("{} > {file}", line(&["printf", "%s", PROJECT])?));
                file
            }
            several => context.start(plan, several, "is a project")?.to_owned(),
        };
        let words = ["dotnet", "build", "--configuration", "Release", "--output", PROGRAM, &project];
        plan.lines.push(line(&words)?);
        let quiet = ["DOTNET_CLI_TELEMETRY_OPTOUT", "DOTNET_NOLOGO", "DOTNET_SKIP_FIRST_TIME_EXPERIENCE"];
        plan.environment.extend(quiet.map(|name| (name.to_owned(), "1".to_owned())));
        let stem = project.rsplit('/').next().unwrap_or_default().trim_end_matches(".csproj");
        plan.run = run_by(&dotnet, &[&format!("{PROGRAM}/{stem}.dll")])?;
        return Ok(());
    }
    if !has("mcs")? {
        return Err(missing(&["mcs", "dotnet"], Language::CSharp).into());
    }
    context.need(plan, "mcs")?;
    let mono = context.need(plan, "mono")?;
    let program = format!("{PROGRAM}.exe");
    let fixed = ["mcs", "-optimize+", &format!("-out:{program}")].map(str::to_owned);
    let sources = context.sources(&[".cs"]);
    // Without a visible `Main`, the compiler decides.
    let sources = if sources.iter().any(|name| context.sources_read().has_main(name, Scope::Code)) {
        let start = context.start(plan, &sources, "has a method `Main`")?;
        context.parts(plan, start, &sources)
    } else {
        sources
    };
    let sources = sources.into_iter().map(argument);
    plan.lines = vec![line(&fixed.into_iter().chain(sources).collect::<Vec<_>>())?];
    plan.run = run_by(&mono, &[&program])?;
    Ok(())
}
