"""Figures and numbers of Foretoken in Sphinx, MkDocs, Jupyter and Quarto documents. docs/embed.md says how to use them.

Sphinx    extensions = ["foretoken"] and foretoken_page = "https://example.org/foretoken/" in conf.py; then the
          directive "foretoken" with the name of a figure, and a link as its content; the role "foretoken" for a number.
MkDocs    hooks: [foretoken.py] and extra: {foretoken: "https://example.org/foretoken/"} in mkdocs.yml; then code
          blocks of the language "foretoken", and code within a sentence that begins with "foretoken" for a number.
Jupyter   from foretoken import Figure; Figure("roofline", "v=1&view=inference", page="https://example.org/foretoken/")
          or Value("ttft", "v=1&view=inference", page="https://example.org/foretoken/")

It needs Python 3.9 and nothing else.
"""

import html
import re
from difflib import get_close_matches
from urllib.parse import parse_qsl

OPTIONS = ("controls", "theme", "label", "frameless")
SWITCHES = ("range", "equation")

# Names in each view's answers, written by a test of Foretoken.
# <!-- names -->
PARTS = {
    "training": [
        "step-breakdown", "bound", "memory", "memory-timeline", "roofline", "operators", "timeline", "sensitivity",
        "plan-sensitivity", "costs", "launch", "published", "measured", "measured-rows", "profile-terms",
        "profile-course", "measured-terms", "measured-phases", "difference-step", "difference-ttft", "difference-tpot",
        "difference-latency", "causes", "changes", "changes-tpot", "nearest",
    ],
    "inference": [
        "load", "percentiles", "prefix-cache", "cache-tiers", "prefill-breakdown", "decode-breakdown", "dram-gpus",
        "dram-latency", "dram-batch", "dram-format", "dram-model", "link-latency", "memory", "memories", "capacity",
        "roofline", "bound-by", "tradeoff", "deployments", "models", "launch", "published", "measured", "measured-rows",
        "profile-terms", "profile-course", "measured-terms", "measured-phases", "difference-step", "difference-ttft",
        "difference-tpot", "difference-latency", "causes", "changes", "changes-tpot", "nearest",
    ],
    "sizing": [
        "fleets", "runs", "fleet-costs", "run-costs", "missed",
    ],
    "search": [
        "ranking", "plans", "scaling", "stopped", "axes", "strategies", "dram-llm", "dram-vit", "sweep-dram",
        "rate-llm", "rate-vit", "sweep-rate", "domain-llm", "domain-vit", "sweep-domain",
    ],
    "generations": [
        "speedup", "plans", "speedup-served", "speedup-prefill", "speedup-decode", "speedup-energy", "speedup-cost",
        "served-plans", "waterfall", "configurations", "variants", "binding-training", "binding-prefill",
        "binding-decode",
    ],
    "technology": [
        "node-speedup", "node-speedup-links", "node-energy", "binding-map", "binding-shares", "account", "built",
        "numbers",
    ],
    "papers": [
        "validated-steps", "authors-steps", "validated-mfu", "validated-hfu", "replicated-step", "validated-requests",
        "layer-passes", "recompute-activations", "recompute-shares", "recompute-memory", "recompute-state",
        "dram-memories", "operator-roofline", "operator-intensity", "operator-times", "system-speedup", "system-causes",
        "nodes-memory", "nodes-links", "study-gpt3", "study-vit", "study-plans", "study-gpt3-a100", "study-gpt3-h200",
        "study-gpt3-b200", "study-vit-a100", "study-vit-h200", "study-vit-b200", "days-nvs4", "days-nvs8", "days-nvs64",
        "days-smallest", "days-2d-gain", "optimum-shares", "optimum-steps", "optimum-memory", "depth-time",
        "depth-memory", "grid-time", "sweep-dram", "sweep-rate", "domain-gpt3-1d", "domain-vit-summa",
        "domain-vit-seqp", "device-speedup", "nccl-times", "nccl-ratio", "megatron-steps", "megatron-fused",
        "megatron-code", "megatron-activations", "megatron-layer", "perlmutter-steps", "perlmutter-memory", "values",
    ],
    "validation": [
        "scatter", "histogram", "groups", "league", "rows",
    ],
}
NUMBERS = {
    "training": [
        "step", "mfu", "tokens", "days", "memory", "measured",
    ],
    "inference": [
        "ttft", "tpot", "latency", "tokens", "kv", "batch", "memory", "usd-input", "usd-output", "energy", "cached",
        "vision", "audio", "host-memory", "second-memory", "expert-memory", "context", "measured",
    ],
    "sizing": [
        "gpus", "cost", "sure", "ttft", "tpot", "ttft-p50", "ttft-p90", "ttft-p95", "ttft-p99", "tpot-p50", "tpot-p90",
        "tpot-p95", "tpot-p99", "latency-p50", "latency-p90", "latency-p95", "latency-p99", "usd-output", "in-flight",
        "utilisation", "power", "servers", "on-demand", "owned", "fleets", "cached", "days", "energy", "gpu-hours",
        "step", "mfu", "memory", "runs",
    ],
    "search": [
        "step", "mfu", "memory", "cost", "feasible", "cheapest", "below", "above", "dram-llm", "dram-vit", "rate-llm",
        "rate-vit", "domain-llm", "domain-vit", "sweep-dram", "sweep-rate", "sweep-domain",
    ],
    "generations": [
        "speedup-b200", "speedup-best", "served-b200", "speedup-asked",
    ],
    "technology": [
        "speedup", "peak", "dram", "energy", "binds",
    ],
    "papers": [
        "mean", "largest", "points", "kundu-2024", "subramanian-2024",
    ],
    "validation": [
        "abroad", "rows", "mean", "median", "bias", "p90",
    ],
}
# <!-- /names -->


class Shown:
    """What embed.js shows of the answer to a link's question; notebooks show it too."""

    def __init__(self, name, link, page):
        self.link, self.page = link.partition("#")[2] or link, page.rstrip("/") + "/"
        self.check(name)

    def check(self, name):
        """Refuses a name that no answer of the view has."""
        # The first of several questions decides.
        asked = dict(parse_qsl(self.link.partition("~")[0].replace("&amp;", "&")))
        view = asked.get("view", "training")
        if view not in self.names:
            raise ValueError(f"there is no view {view}; there are {', '.join(self.names)}")
        known = self.names[view]
        if name not in known:
            near = "".join(f": did you mean {near}?" for near in get_close_matches(name, known, 1)) or "."
            raise ValueError(
                f"answers of the {view} view have no {self.kind} {name}{near} {self.page}docs/embed.html lists the names"
            )

    def address(self):
        return f"{self.page}#{self.link}"

    def _repr_html_(self):
        return f'<script type="module" src="{escaped(self.page)}embed.js"></script>{self.element()}'

    def _repr_markdown_(self):
        """A link, for documents in which no script runs, such as a PDF of Quarto."""
        label = re.sub(r"([\\\[\]])", r"\\\1", self.label())
        return f"[{label}](<{self.address()}>)"


def escaped(text):
    # Quarto puts the HTML of a sentence between back-quotes.
    return html.escape(str(text)).replace("`", "&#96;")


def attributes(**values):
    return " ".join(f'{name}="{escaped(value)}"' for name, value in values.items())


class Value(Shown):
    """A number of an answer, within a sentence. The text is shown until the number is known."""

    kind, names = "number", NUMBERS

    def __init__(self, value, link, page, text="", **switches):
        unknown = set(switches) - set(SWITCHES)
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))}: unknown option; known are {', '.join(SWITCHES)}")
        super().__init__(value, link, page)
        self.value, self.text = value, text or value
        self.switches = {name: "" for name, on in switches.items() if on}

    @classmethod
    def read(cls, words, page):
        """The number that a text names: its name, switches, link and text."""
        value, *rest = words.split() or [""]
        switches = {}
        while rest and rest[0] in SWITCHES:
            switches[rest.pop(0)] = True
        if not rest or "=" not in rest[0]:
            raise ValueError(f"foretoken {words}: a number needs its name and a link, such as: days v=1&gpus=64 some days")
        return cls(value, rest[0], page, " ".join(rest[1:]), **switches)

    def element(self):
        """The element that embed.js defines."""
        written = attributes(value=self.value, link=self.link, **self.switches)
        return f"<foretoken-value {written}>{escaped(self.text)}</foretoken-value>"

    def label(self):
        return self.text


class Figure(Shown):
    """A figure or another part of an answer."""

    kind, names = "figure", PARTS

    def __init__(self, figure, link, page, **options):
        unknown = set(options) - set(OPTIONS)
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))}: unknown option; known are {', '.join(OPTIONS)}")
        super().__init__(figure, link, page)
        self.figure = figure
        # A switch that is off is left out.
        self.options = {name: "" if value is True else str(value) for name, value in options.items()
                        if value is not None and value is not False}

    @classmethod
    def read(cls, figure, body, page):
        """The figure of a code block: its link, then options, a line each."""
        lines = [line.strip() for line in body.splitlines() if line.strip()]
        if not figure or not lines:
            raise ValueError("a foretoken block needs the name of a figure, and a link in its first line")
        options = dict((part.strip() for part in line.partition(":")[::2]) for line in lines[1:])
        wrong = [name for name in options if name not in OPTIONS]
        if wrong:
            raise ValueError(f"{', '.join(wrong)}: unknown option; known are {', '.join(OPTIONS)}")
        return cls(figure, lines[0], page, **options)

    def element(self):
        """The element that embed.js defines, with a link that is shown without scripts."""
        written = attributes(figure=self.figure, link=self.link, **self.options)
        link = f'<a href="{escaped(self.address())}">{escaped(self.label())}</a>'
        return f"<foretoken-figure {written}>{link}</foretoken-figure>"

    def label(self):
        return self.options.get("label", self.figure)


def setup(app):
    """Sphinx: the directive and the role "foretoken"."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class Foretoken(Directive):
        """A figure: its name is the argument, its link the content."""

        required_arguments = 1
        has_content = True
        option_spec = {name: directives.unchanged for name in OPTIONS}

        def run(self):
            page = self.state.document.settings.env.config.foretoken_page
            try:
                figure = Figure.read(self.arguments[0], "\n".join(self.content), page)
                figure.options.update(self.options)
            except ValueError as fault:
                raise self.error(str(fault)) from fault
            link = nodes.reference("", figure.label(), refuri=figure.address())
            # Builders of anything but HTML write the link.
            only = nodes.raw("", figure.element(), format="html")
            return [only, nodes.container("", nodes.paragraph("", "", link), classes=["foretoken-link"])]

    def role(name, rawtext, text, lineno, inliner, options=None, content=None):
        try:
            value = Value.read(text, inliner.document.settings.env.config.foretoken_page)
        except ValueError as fault:
            message = inliner.reporter.error(str(fault), line=lineno)
            return [inliner.problematic(rawtext, rawtext, message)], [message]
        link = nodes.reference("", value.text, refuri=value.address())
        only = nodes.raw("", value.element(), format="html")
        return [only, nodes.inline("", "", link, classes=["foretoken-link"])], []

    def script(app):
        if not app.config.foretoken_page:
            raise ValueError('set the address of Foretoken in conf.py: foretoken_page = "https://example.org/foretoken/"')
        app.add_js_file(f"{app.config.foretoken_page.rstrip('/')}/embed.js", type="module")

    def without_links(app, doctree, docname):
        if app.builder.format == "html":
            for node in list(doctree.findall(nodes.Element)):
                if "foretoken-link" in node["classes"]:
                    node.parent.remove(node)

    app.add_config_value("foretoken_page", "", "html")
    app.add_directive("foretoken", Foretoken)
    app.add_role("foretoken", role)
    app.connect("builder-inited", script)
    app.connect("doctree-resolved", without_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$")


CODE = re.compile(r"(?<!`)(?P<mark>`+)(?!`)(?P<code>.+?)(?<!`)(?P=mark)(?!`)")


def with_numbers(line, number):
    """A line with the numbers in its code replaced; between two or more back-quotes they are examples."""
    def written(found):
        name, _, words = found["code"].partition(" ")
        return number(words) if found["mark"] == "`" and name == "foretoken" and words else found[0]

    return CODE.sub(written, line)


def replaced(markdown, element, number):
    """A page with its foretoken blocks and numbers replaced; within another block they are examples of how to write them."""
    out, block, fence, info = [], [], None, ""
    for line in markdown.split("\n"):
        found = FENCE.match(line)
        if fence is None:
            if found:
                fence, (info, *rest) = found, (found["info"].split() or [""])
                block = [line]
                name = " ".join(rest)
            else:
                out.append(with_numbers(line, number))
            continue
        block.append(line)
        mark = found["fence"] if found and not found["info"].strip() else ""
        if mark[:1] == fence["fence"][0] and len(mark) >= len(fence["fence"]):
            if info == "foretoken":
                out += [fence["indent"] + element(name, "\n".join(block[1:-1])), ""]
            else:
                out += block
            fence = None
    if fence is not None and info == "foretoken":
        raise ValueError("a foretoken block has no end")
    return "\n".join(out if fence is None else out + block)


def on_config(config):
    """MkDocs: the script that defines the element, on every page."""
    from mkdocs.config.config_options import ExtraScriptValue
    from mkdocs.exceptions import PluginError

    if not config["extra"].get("foretoken"):
        raise PluginError('set the address of Foretoken in mkdocs.yml: extra: {foretoken: "https://example.org/foretoken/"}')
    script = ExtraScriptValue(f"{config['extra']['foretoken'].rstrip('/')}/embed.js")
    script.type = "module"
    config["extra_javascript"].append(script)
    return config


def on_page_markdown(markdown, page, config, **_):
    """MkDocs: code blocks of the language "foretoken", and numbers within sentences."""
    from mkdocs.exceptions import PluginError

    address = config["extra"]["foretoken"]
    try:
        return replaced(
            markdown,
            lambda figure, body: Figure.read(figure, body, address).element(),
            lambda words: Value.read(words, address).element(),
        )
    except ValueError as fault:
        raise PluginError(f"{page.file.src_path}: {fault}") from fault
