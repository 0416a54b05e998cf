"""The places where users are: the GitHub action, pre-commit, conda's recipe, the container, Hugging Face's evaluate."""

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


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which the command caesura is this tree's."""
    starter = tmp_path / "caesura"
    starter.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m caesura "$@"\n')
    starter.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_the_action_fills_the_summary_and_holds_the_floors(tmp_path: Path, shell: dict[str, str]) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    inputs = {
        "reference": "gold.json",
        "systems": "ours.json theirs.json",
        "metrics": "B WD",
        "fail-under": "B=0.6 WD=0.3",
    }
    inputs["options"] = "--seed '3'"
    assert set(inputs) | {"python-version"} == set(action["inputs"])
    summary = tmp_path / "summary.md"
    given = {name: inputs[re.search(r"inputs\.([\w-]+)", value)[1]] for name, value in step["env"].items()}
    env = {**shell, **given, "GITHUB_STEP_SUMMARY": str(summary)}
    script = ["bash", str(ROOT / "integrations" / "github" / "evaluate.sh")]
    assert step["run"].endswith('integrations/github/evaluate.sh"')
    done = subprocess.run(script, env=env, cwd=DATA, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 1, done.stderr  # theirs are below 0.6
    assert "below 0.6" in done.stderr
    assert "| ours |" in summary.read_text("utf-8")


def test_the_page_shows_the_action_and_the_hook_as_they_are() -> None:
    page = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    use, hook = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    assert set(use[1]["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"])
    ours = {each["id"] for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert {each["id"] for each in hook["repos"][0]["hooks"]} == ours
    assert f"v{cs.__version__}" == hook["repos"][0]["rev"] == use[1]["uses"].partition("@")[2]


def test_hooks_name_commands_that_exist() -> None:
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")):
        assert hook["entry"].split()[1] in COMMANDS
        assert re.search(hook["files"], "interviews/talk.TextGrid")
        assert not re.search(hook["files"], "README.md")


def test_the_recipe_has_the_dependencies_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = yaml.safe_load((ROOT / "integrations" / "conda" / "recipe.yaml").read_text("utf-8"))
    ours = {
        f"python {project['requires-python']}",
        *(d.replace("_", "-").replace(">=", " >=") for d in project["dependencies"]),
    }
    assert set(recipe["requirements"]["run"]) == ours
    assert recipe["context"]["version"] == cs.__version__
    assert f"version: {cs.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_rattler_build_reads_the_recipe() -> None:
    rattler_build = pytest.importorskip("rattler_build", reason="rattler-build (py-rattler-build) is not installed")
    (rendered,) = rattler_build.Stage0Recipe.from_file(ROOT / "integrations" / "conda" / "recipe.yaml").render()
    assert rendered.recipe.to_dict()["package"] == {"name": "caesura", "version": cs.__version__}


DOCKER = ROOT / "integrations" / "docker"


def test_the_container_starts_the_workbench_as_nobody_special() -> None:
    lines = (DOCKER / "Dockerfile").read_text("utf-8").splitlines()
    words = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert {"USER", "HEALTHCHECK", "VOLUME", "EXPOSE"} <= set(words)
    assert words.index("USER") < words.index("ENTRYPOINT")
    start = " ".join(line for line in lines if line.startswith(("ENTRYPOINT", "CMD")))
    options = {flag for p in program.get_command(None, "serve").params for flag in p.opts}  # type: ignore[arg-type, union-attr]
    assert set(re.findall(r"--[\w-]+", start)) <= options
    assert "token" not in start.lower(), "a list of processes would show it"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for named in re.findall(r"\[([\w,]+)\]\"", "\n".join(lines)):
        assert set(named.split(",")) <= set(extras)


#: Docker as check.sh sees it: WITHOUT_TOKEN is what a start without a token exits with, WHO the user inside, WRITES whether /usr can be written.
STAND_IN = """#!/bin/sh
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
def test_the_check_of_the_container_finds_faults(tmp_path: Path, fault: dict[str, str], status: int) -> None:
    (tmp_path / "docker").write_text(STAND_IN)
    (tmp_path / "docker").chmod(0o755)
    container = {"WITHOUT_TOKEN": "2", "HEALTH": "healthy", "WHO": "10001", "WRITES": "1", **fault}
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", **container}
    done = subprocess.run(["bash", str(DOCKER / "check.sh")], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert ("found its data again" in done.stdout) == (not fault)


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint (GPL, hence no requirement) is not installed")
def test_the_container_file_passes_its_linter() -> None:
    subprocess.run(["hadolint", str(DOCKER / "Dockerfile")], check=True)


def steps_of(workflow: str, job: str) -> list[dict[str, Any]]:
    text = (ROOT / ".github" / "workflows" / f"{workflow}.yml").read_text("utf-8")
    return list(yaml.safe_load(text)["jobs"][job]["steps"])


def test_ci_checks_the_container() -> None:
    assert "bash integrations/docker/check.sh" in [step.get("run") for step in steps_of("ci", "container")]


def test_a_release_is_checked_before_it_is_attested_and_kept() -> None:
    order = [step.get("run", step.get("uses", "")) for step in steps_of("release", "build")]
    wanted = ["-m build", "twine check --strict", "attest-build-provenance", "upload-artifact"]
    places = [next(n for n, step in enumerate(order) if word in step) for word in wanted]
    assert places == sorted(places)
    assert "check-wheel-contents dist/*.whl" in order[places[1]]


def test_the_source_archive_has_what_its_tests_and_pages_read() -> None:
    archive = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["sdist"]
    needed = {
        "src",
        "tests",
        "docs",
        "examples",
        "integrations",
        "requirements",
        ".ci",
        ".github",
        "Makefile",
        "mkdocs.yml",
    }
    needed |= {"CONTRIBUTING.md", "action.yml", ".pre-commit-hooks.yaml", "CITATION.cff"}
    assert needed <= set(archive["include"])


def test_hugging_face_gets_our_numbers() -> None:
    evaluate = pytest.importorskip("evaluate", reason="Hugging Face's evaluate is not installed")
    module = evaluate.load(str(ROOT / "integrations" / "huggingface" / "segmentation_similarity"))
    scores = module.compute(references=[[2, 3, 6]], predictions=[[2, 2, 7]], metrics=["B", "WD"])
    assert scores == {"B": 0.75, "WD": pytest.approx(2 / 9)}
    assert module.compute(references=["0100100000"], predictions=["0101000000"], metrics="B") == {"B": 0.75}
    module.add_batch(references=[[2, 3], [4]], predictions=[[2, 3], [2, 2]])
    module.add(reference=[2, 3, 6], prediction=[2, 2, 7])
    assert module.compute() == {"B": 0.625}  # 2.5 of 4 pairs, pooled


def test_a_search_of_scikit_learn_takes_our_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: the search in docs/evaluation.md was not run")
    page = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
    (block,) = (code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "GridSearchCV" in code)
    monkeypatch.chdir(DATA)
    scope: dict[str, Any] = {"cs": cs}
    exec(block, scope)
    search = scope["search"]
    assert search.best_params_ == {"prior": 1.0, "penalty": 1.25}
    penalty = cs.make_scorer("WD")(search.best_estimator_, scope["texts"], scope["gold"])
    assert -0.5 < penalty < 0  # less is better, so it is negated


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(
    ("ref", "calls"),
    [
        ("v0.2.1", ["deploy --push --update-aliases 0.2 latest", "set-default --push latest"]),
        ("main", ["deploy --push dev", "list latest"]),
        ("v0.3.0rc1", ["deploy --push dev", "list latest"]),
    ],
)
def test_a_release_is_published_as_the_latest_version_and_all_else_as_dev(
    tmp_path: Path, ref: str, calls: list[str]
) -> None:
    (tmp_path / "mike").write_text(f'#!/bin/sh\ntest "$VERSIONS_BY" = mike && echo "$@" >> "{tmp_path}/calls"\n')
    (tmp_path / "mike").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "GITHUB_REF_NAME": ref}
    subprocess.run(["bash", str(ROOT / "integrations" / "github" / "publish_docs.sh")], env=env, check=True)
    assert (tmp_path / "calls").read_text().splitlines() == calls


def test_the_site_knows_of_its_other_versions() -> None:
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "provider: !ENV [VERSIONS_BY, nobody], default: latest" in config  # the alias that publish_docs.sh gives
    workflow = (ROOT / ".github" / "workflows" / "docs.yml").read_text("utf-8")
    assert "integrations/github/publish_docs.sh" in workflow
    assert "SITE_URL" in workflow
    assert "!ENV [SITE_URL" in config
