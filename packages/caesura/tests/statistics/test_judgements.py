"""Questions on which metrics disagree, votes, and metrics by agreement with readers."""

from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.papers.diaz2022 import VOTES
from caesura.report.judgement_page import judgement_page
from caesura.samples import load
from caesura.statistics.judgements import Question, Questions, Votes, make_questions, preferences, rank_metrics

APPENDIX = Questions(tuple(Question.from_masses(name, *sides) for name, *sides, _ in VOTES))


def test_the_votes_printed_in_the_paper() -> None:
    """A agrees with all eighteen votes; B finds both candidates the same each time, WindowDiff twice, which nobody voted for."""
    ranking = rank_metrics(
        APPENDIX, Votes({name: votes for name, *_, votes in VOTES}), ["WD:minimum=1,edges=padded", "B:n_t=2", "A"]
    )
    assert ranking.metrics[0].name == "A"
    assert {each.name: each.agreement for each in ranking.metrics} == {"A": 1.0, "B": 0.0, "WD": 1 / 3}
    assert ranking.readers == 1.0
    assert ranking.votes == 18


def test_questions_are_those_on_which_metrics_disagree() -> None:
    found = make_questions(number=10, metrics=["A", "B", "WD"], seed=3)
    answers = preferences([cs.metric(name) for name in ("A", "B", "WD")], found.questions)
    assert all(len(set(column)) > 1 for column in answers.T.tolist())
    assert found == make_questions(number=10, metrics=["A", "B", "WD"], seed=3)
    assert found.code != make_questions(number=10, metrics=["A", "B", "WD"], seed=4).code


def test_coders_of_one_corpus_are_compared_with_each_other() -> None:
    coders = load("stargazer")
    found = make_questions(coders, number=6)
    for question in found.questions:
        names = [question.source[key] for key in ("gold", "first", "second")]
        assert len(set(names)) == 3
        for name, side in zip(names, (question.gold, question.first, question.second), strict=True):
            assert coders[question.source["item"], name].masses == side.masses


def test_which_system_comes_first_is_drawn() -> None:
    gold = {"a": {"ann": [4, 4, 4]}}
    systems = {"one": [3, 5, 4], "two": [4, 2, 6]}
    corpora = {name: cs.Corpus.from_dict({"a": {name: masses}}) for name, masses in systems.items()}
    first = {
        make_questions(cs.Corpus.from_dict(gold), corpora, ["A", "F"], seed=seed).questions[0].source["first"]
        for seed in range(12)
    }
    assert first == {"one", "two"}


def test_the_page_hides_where_segmentations_come_from() -> None:
    found = make_questions(load("stargazer"), number=4, title="<b>Stars</b>")
    page = judgement_page(found)
    assert "coder" not in page.split('id="questions">')[1].split("</script>")[0]
    assert "<b>Stars" not in page
    assert found.code in page


def test_questions_survive_a_file_and_changes_are_noticed() -> None:
    found = make_questions(number=3)
    data = json.loads(json.dumps(found.as_dict()))
    assert Questions.from_dict(data).as_dict() == found.as_dict()
    data["questions"][0]["first"] = data["questions"][0]["gold"]
    with pytest.raises(CaesuraError, match="were changed"):
        Questions.from_dict(data)
    with pytest.raises(CaesuraError, match="these are not questions"):
        Questions.from_dict({"questions": []})


def test_agreement_of_readers_with_most_others() -> None:
    """Three votes for the first and one for the second: three readers agree with most others, one does not."""
    ranking = rank_metrics(APPENDIX, Votes({"VT: vanishing": (3, 1, 0)}), ["A", "B"])
    assert ranking.readers == 0.75
    assert ranking.metrics[0].agreement == 0.75
    assert ranking.metrics[0].interval is None
    assert np.isnan(rank_metrics(APPENDIX, Votes({"VT: vanishing": (1, 0, 0)}), ["A"]).readers)


def test_the_last_answer_of_a_reader_counts() -> None:
    votes = Votes.from_answers([("ann", "q1", "first"), ("ann", "q1", " Second"), ("ben", "q1", "same")])
    assert votes.counts == {"q1": (0, 1, 1)}
    assert votes.readers == 2
    with pytest.raises(CaesuraError, match="expected first, second or same"):
        Votes.from_answers([("ann", "q1", "H1")])


def test_refusals() -> None:
    with pytest.raises(CaesuraError, match="not among the 3 questions"):
        rank_metrics(APPENDIX, Votes({"q9": (1, 0, 0)}))
    with pytest.raises(CaesuraError, match="no votes"):
        rank_metrics(APPENDIX, Votes({}))
    gold = cs.Corpus.from_dict({"a": {"ann": [5, 5]}})
    systems = {"one": cs.Corpus.from_dict({"a": {"x": [4, 6]}}), "two": cs.Corpus.from_dict({"a": {"x": [4, 7]}})}
    with pytest.raises(CaesuraError, match="item 'a': gold has 10 units, 'two' 11"):
        make_questions(gold, systems)
    with pytest.raises(CaesuraError, match="questions need a second system"):
        make_questions(gold, {"one": systems["one"]})
    with pytest.raises(CaesuraError, match="no text of at most 400 units has two different segmentations"):
        make_questions(cs.Corpus.from_dict({"a": {"ann": [300, 300], "ben": [200, 400], "eve": [100, 500]}}))
    with pytest.raises(CaesuraError, match="two metrics"):
        make_questions(metrics=["A"])
    with pytest.raises(CaesuraError, match="texts in units"):
        make_questions(load("phones"))
    with pytest.raises(CaesuraError, match="R compares time"):
        make_questions(metrics=["A", "R"])
