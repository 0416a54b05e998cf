"""The GitHub action, the pre-commit hook, the conda recipe, the container, releases, and Hugging Face's evaluate."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import caesura as cs
from caesura.cli.main import COMMANDS, program

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"
PROJECTS = {
    file.parent.name: tomllib.loads(file.read_text("utf-8"))["project"]
    for file in sorted(ROOT.glob("packages/*/pyproject.toml"))
}


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which the command ``caesura`` runs this working tree."""
    starter = tmp_path / "caesura"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m caesura "$@"\n')
    starter.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": os.pathsep.join(map(str, ROOT.glob("packages/*/src"))),
        "PYTHONIOENCODING": "utf-8",
    }


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_action_writes_summary_and_fails_below_threshold(tmp_path: Path, shell: dict[str, str]) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    inputs = {
        "reference": "gold.json",
        "systems": "ours.json theirs.json",
        "metrics": "B WD",
        "fail-under": "B=0.6 WD=0.3",
    }
    inputs |= {"options": "--seed '3'", "baseline": "", "fail-if-worse": "0.05"}
    assert set(inputs) | {"python-version", "warm-up"} == set(action["inputs"])
    summary = tmp_path / "summary.md"
    given = {name: inputs[re.search(r"inputs\.([\w-]+)", value)[1]] for name, value in step["env"].items()}
    env = {**shell, **given, "GITHUB_STEP_SUMMARY": str(summary)}
    script = ["bash", str(ROOT / "integrations" / "github" / "evaluate.sh")]
    assert step["run"].endswith('integrations/github/evaluate.sh"')
    done = subprocess.run(script, env=env, cwd=DATA, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 1, done.stderr  # theirs.json is below 0.6
    assert "below 0.6" in done.stderr
    assert "| ours |" in summary.read_text("utf-8")
    install = action["runs"]["steps"][1]["run"]
    folder, extras = re.search(r"GITHUB_ACTION_PATH\}/([\w/-]+)\[([\w,]+)\]", install).groups()
    assert set(extras.split(",")) <= set(PROJECTS[Path(folder).name]["optional-dependencies"])


def test_page_shows_current_action_and_hook() -> None:
    page = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    use, hook = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    assert set(use[1]["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"])
    ours = {each["id"] for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert {each["id"] for each in hook["repos"][0]["hooks"]} == ours
    assert f"v{cs.__version__}" == hook["repos"][0]["rev"] == use[1]["uses"].partition("@")[2]


def test_hooks_run_existing_commands_of_the_core() -> None:
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")):
        assert hook["entry"].split()[1] in COMMANDS
        assert re.search(hook["files"], "interviews/talk.TextGrid")
        assert not re.search(hook["files"], "README.md")
        assert [(ROOT / path / "pyproject.toml").is_file() for path in hook["additional_dependencies"]] == [True]


def test_all_packages_have_the_same_version() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert root["dependencies"] == [f"caesura=={cs.__version__}"]  # installed by pre-commit
    for name, project in PROJECTS.items():
        version_file = ROOT / "packages" / name / "src" / name.replace("-", "_") / "_version.py"
        assert f'"{cs.__version__}"' in version_file.read_text("utf-8"), name
        if name != "caesura":
            assert f"caesura=={cs.__version__}" in project["dependencies"], name
    assert f"version: {cs.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_recipe_has_the_dependencies_and_licence_of_each_package() -> None:
    recipe = yaml.safe_load((ROOT / "integrations" / "conda" / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"]["version"] == cs.__version__
    outputs = {output["package"]["name"]: output for output in recipe["outputs"]}
    assert outputs.keys() == PROJECTS.keys()
    for name, project in PROJECTS.items():
        dependencies = (re.sub(r"(?=[=>]=)", " ", each.replace("_", "-"), count=1) for each in project["dependencies"])
        expected = {f"python {project['requires-python']}", *dependencies}
        written = {each.replace("${{ version }}", cs.__version__) for each in outputs[name]["requirements"]["run"]}
        assert written == expected, name
        assert f"pip install packages/{name} " in outputs[name]["build"]["script"]
        assert outputs[name]["about"]["license"] == project["license"], name


def test_rattler_build_reads_the_recipe() -> None:
    rattler_build = pytest.importorskip("rattler_build", reason="rattler-build (py-rattler-build) is not installed")
    rendered = rattler_build.Stage0Recipe.from_file(ROOT / "integrations" / "conda" / "recipe.yaml").render()
    packages = [each.recipe.to_dict()["package"] for each in rendered]
    assert packages == [{"name": name, "version": cs.__version__} for name in PROJECTS]


DOCKER = ROOT / "integrations" / "docker"


def test_container_starts_the_workbench_without_privileges() -> None:
    lines = (DOCKER / "Dockerfile").read_text("utf-8").splitlines()
    words = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert {"USER", "HEALTHCHECK", "VOLUME", "EXPOSE"} <= set(words)
    assert words.index("USER") < words.index("ENTRYPOINT")
    start = " ".join(line for line in lines if line.startswith(("ENTRYPOINT", "CMD")))
    options = {flag for p in program.get_command(None, "serve").params for flag in p.opts}  # type: ignore[arg-type, union-attr]
    assert set(re.findall(r"--[\w-]+", start)) <= options
    assert "token" not in start.lower(), "the list of processes would show it"
    for name, extras in re.findall(r"(caesura[\w-]*)\[([\w,]+)\]", "\n".join(lines)):
        assert set(extras.split(",")) <= set(PROJECTS[name]["optional-dependencies"]), name


#: Prints what Numba's cache keeps about the processor, on a machine whose processor has the name given.
PROCESSOR_OF_CACHE = """
import sys, llvmlite.binding as llvm
llvm.get_host_cpu_name = lambda: sys.argv[1]
llvm.get_host_cpu_features = lambda: llvm.FeatureMap({sys.argv[1]: True})
from numba.core.registry import cpu_target
print(cpu_target.target_context.codegen().magic_tuple())
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_kernels_compiled_for_an_image_or_ci_fit_other_processors(tmp_path: Path, shell: dict[str, str]) -> None:
    lines = (DOCKER / "Dockerfile").read_text("utf-8").splitlines()
    before = lines[: lines.index("RUN caesura warm-up")]
    image = dict(line.removeprefix("ENV ").split("=", 1) for line in before if line.startswith("ENV "))
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]
    (warm_up,) = (step["run"] for step in steps if "caesura warm-up" in step.get("run", ""))
    kept, called = tmp_path / "kept", tmp_path / "called"
    (tmp_path / "caesura").write_text(f'#!/bin/sh\necho "$* $NUMBA_CPU_NAME $NUMBA_CACHE_DIR" > "{called}"\n')
    env = {**shell, "GITHUB_ENV": str(kept), "HOME": str(tmp_path)}
    subprocess.run(["bash", "-e", "-c", warm_up], env=env, check=True)
    action = dict(line.split("=", 1) for line in kept.read_text("utf-8").splitlines())
    assert called.read_text("utf-8").split() == ["warm-up", action["NUMBA_CPU_NAME"], action["NUMBA_CACHE_DIR"]]

    def processors(settings: dict[str, str]) -> set[str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        return {
            subprocess.check_output(
                [sys.executable, "-c", PROCESSOR_OF_CACHE, name], env={**plain, **settings}, text=True
            )
            for name in ("znver4", "skylake")
        }

    assert len(processors({})) == 2
    assert len(processors(image)) == len(processors(action)) == 1


@pytest.mark.skipif(shutil.which("bash") is None or shutil.which("git") is None, reason="no bash or no git here")
def test_the_cache_of_loops_is_made_again_when_they_change(tmp_path: Path, shell: dict[str, str]) -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]
    (hashed,) = (step["run"] for step in steps if step.get("id") == "loops")
    (key,) = (step["with"]["key"] for step in steps if step.get("uses", "").startswith("actions/cache"))
    assert "steps.loops.outputs.hash" in key
    kernels, output = tmp_path / "packages" / "caesura" / "src" / "caesura" / "kernels", tmp_path / "output"
    kernels.mkdir(parents=True)
    for source in ("def loop(): ...\n", "def loop(): return 1\n"):
        (kernels / "loops.py").write_text(source)
        env = {**shell, "GITHUB_ACTION_PATH": str(tmp_path), "GITHUB_OUTPUT": str(output)}
        subprocess.run(["bash", "-e", "-c", hashed], env=env, check=True)
    first, second = output.read_text("utf-8").split()
    assert first.startswith("hash=")
    assert first != second


#: A fake docker for check.sh: the environment says how a start without a token exits (WITHOUT_TOKEN), who the user is (WHO), and how a write to /usr exits (WRITES).
FAKE_DOCKER = """#!/bin/sh
case "$1 $2" in
    "run --rm") exit "$WITHOUT_TOKEN" ;;
    inspect*) echo "$HEALTH" ;;
    exec*) case "$3" in id) echo "$WHO" ;; touch) exit "$WRITES" ;; esac ;;
esac
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("fault", "status"),
    [({}, 0), ({"WITHOUT_TOKEN": "0"}, 1), ({"WHO": "0"}, 1), ({"WRITES": "0"}, 1)],
    ids=["fine", "starts without a token", "root", "writes anywhere"],
)
def test_container_check_finds_faults(tmp_path: Path, fault: dict[str, str], status: int) -> None:
    (tmp_path / "docker").write_text(FAKE_DOCKER)
    (tmp_path / "docker").chmod(0o755)
    container = {"WITHOUT_TOKEN": "2", "HEALTH": "healthy", "WHO": "10001", "WRITES": "1", **fault}
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", **container}
    done = subprocess.run(["bash", str(DOCKER / "check.sh")], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert ("keeps its data" in done.stdout) == (not fault)


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint (GPL, hence no requirement) is not installed")
def test_dockerfile_passes_hadolint() -> None:
    subprocess.run(["hadolint", str(DOCKER / "Dockerfile")], check=True)


def workflow_steps(workflow: str, job: str) -> list[dict[str, Any]]:
    text = (ROOT / ".github" / "workflows" / f"{workflow}.yml").read_text("utf-8")
    return list(yaml.safe_load(text)["jobs"][job]["steps"])


def test_ci_runs_the_container_check() -> None:
    assert "bash integrations/docker/check.sh" in [step.get("run") for step in workflow_steps("ci", "container")]


def test_release_checks_all_packages_before_it_attests_them() -> None:
    order = [step.get("run", step.get("uses", "")) for step in workflow_steps("release", "build")]
    expected = ["-m build", "twine check --strict", "attest-build-provenance", "upload-artifact"]
    places = [next(n for n, step in enumerate(order) if words in step) for words in expected]
    assert places == sorted(places)
    assert 'for package in packages/*/; do .venv/bin/python -m build --outdir dist "$package"' in order[places[0]]
    assert "check-wheel-contents dist/*.whl" in order[places[1]]


@pytest.mark.parametrize("name", PROJECTS)
def test_source_archive_and_wheel_have_source_tests_and_license(name: str) -> None:
    folder = ROOT / "packages" / name
    targets = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert {"src", "tests", "README.md", "LICENSE"} <= set(targets["sdist"]["include"])
    assert all((folder / each).exists() for each in targets["sdist"]["include"])
    (package,) = targets["wheel"]["packages"]
    assert (folder / package / "py.typed").is_file()


def test_hugging_face_module_returns_our_numbers() -> None:
    evaluate = pytest.importorskip("evaluate", reason="Hugging Face's evaluate is not installed")
    module = evaluate.load(str(ROOT / "integrations" / "huggingface" / "segmentation_similarity"))
    scores = module.compute(references=[[2, 3, 6]], predictions=[[2, 2, 7]], metrics=["B", "WD"])
    assert scores == {"B": 0.75, "WD": pytest.approx(2 / 9)}
    assert module.compute(references=["0100100000"], predictions=["0101000000"], metrics="B") == {"B": 0.75}
    module.add_batch(references=[[2, 3], [4]], predictions=[[2, 3], [2, 2]])
    module.add(reference=[2, 3, 6], prediction=[2, 2, 7])
    assert module.compute() == {"B": 0.625}  # 2.5 of 4 pairs, pooled


def test_scorer_works_in_a_scikit_learn_search(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: the search in docs/evaluation.md was not run")
    page = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
    (block,) = (code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "GridSearchCV" in code)
    monkeypatch.chdir(DATA)
    scope: dict[str, Any] = {"cs": cs}
    exec(block, scope)
    search = scope["search"]
    assert search.best_params_ == {"prior": 1.0, "penalty": 1.25}
    penalty = cs.make_scorer("WD")(search.best_estimator_, scope["texts"], scope["gold"])
    assert -0.5 < penalty < 0  # lower is better, so the scorer negates it


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("ref", "calls"),
    [
        ("v0.2.1", ["deploy --push --update-aliases 0.2 latest", "set-default --push latest"]),
        ("main", ["deploy --push dev", "list latest"]),
        ("v0.3.0rc1", ["deploy --push dev", "list latest"]),
    ],
)
def test_releases_are_published_as_latest_and_other_branches_as_dev(tmp_path: Path, ref: str, calls: list[str]) -> None:
    (tmp_path / "mike").write_text(f'#!/bin/sh\ntest "$VERSIONS_BY" = mike && echo "$@" >> "{tmp_path}/calls"\n')
    (tmp_path / "mike").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "GITHUB_REF_NAME": ref}
    subprocess.run(["bash", str(ROOT / "integrations" / "github" / "publish_docs.sh")], env=env, check=True)
    assert (tmp_path / "calls").read_text().splitlines() == calls


def test_site_has_a_version_selector() -> None:
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "provider: !ENV [VERSIONS_BY, none], default: latest" in config  # the alias set by publish_docs.sh
    workflow = (ROOT / ".github" / "workflows" / "docs.yml").read_text("utf-8")
    assert "integrations/github/publish_docs.sh" in workflow
    assert "SITE_URL" in workflow
    assert "!ENV [SITE_URL" in config
