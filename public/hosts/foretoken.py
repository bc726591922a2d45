"""Figures of Foretoken in Sphinx, MkDocs, Jupyter and Quarto documents. docs/embed.md says how to use them.

Sphinx    extensions = ["foretoken"] and foretoken_page = "https://example.org/foretoken/" in conf.py; then the
          directive "foretoken" with the name of a figure, and a link as its content.
MkDocs    hooks: [foretoken.py] and extra: {foretoken: "https://example.org/foretoken/"} in mkdocs.yml; then code
          blocks of the language "foretoken".
Jupyter   from foretoken import Figure; Figure("roofline", "v=1&view=inference", page="https://example.org/foretoken/")

It needs Python 3.9 and nothing else.
"""

import html
import re

OPTIONS = ("controls", "theme", "label", "frameless")


class Figure:
    """A figure of the answer to a link's question; notebooks show it."""

    def __init__(self, figure, link, page, **options):
        unknown = set(options) - set(OPTIONS)
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))}: unknown option; known are {', '.join(OPTIONS)}")
        self.figure, self.link = figure, link.partition("#")[2] or link
        self.page = page.rstrip("/") + "/"
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
        attributes = {"figure": self.figure, "link": self.link, **self.options}
        written = " ".join(f'{name}="{html.escape(str(value))}"' for name, value in attributes.items())
        address = html.escape(f"{self.page}#{self.link}")
        label = html.escape(self.options.get("label", self.figure))
        return f'<foretoken-figure {written}><a href="{address}">{label}</a></foretoken-figure>'

    def _repr_html_(self):
        return f'<script type="module" src="{html.escape(self.page)}embed.js"></script>{self.element()}'


def setup(app):
    """Sphinx: the directive "foretoken"."""
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
            label = figure.options.get("label", figure.figure)
            link = nodes.reference("", label, refuri=f"{figure.page}#{figure.link}")
            # Builders of anything but HTML write the link.
            only = nodes.raw("", figure.element(), format="html")
            return [only, nodes.container("", nodes.paragraph("", "", link), classes=["foretoken-link"])]

    def script(app):
        if not app.config.foretoken_page:
            raise ValueError('set the address of Foretoken in conf.py: foretoken_page = "https://example.org/foretoken/"')
        app.add_js_file(f"{app.config.foretoken_page.rstrip('/')}/embed.js", type="module")

    def without_links(app, doctree, docname):
        if app.builder.format == "html":
            for node in list(doctree.findall(nodes.container)):
                if "foretoken-link" in node["classes"]:
                    node.parent.remove(node)

    app.add_config_value("foretoken_page", "", "html")
    app.add_directive("foretoken", Foretoken)
    app.connect("builder-inited", script)
    app.connect("doctree-resolved", without_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$")


def replaced(markdown, element):
    """A page with its foretoken blocks replaced; a block within another one is an example of how it is written."""
    out, block, fence, info = [], [], None, ""
    for line in markdown.split("\n"):
        found = FENCE.match(line)
        if fence is None:
            if found:
                fence, (info, *rest) = found, (found["info"].split() or [""])
                block = [line]
                name = " ".join(rest)
            else:
                out.append(line)
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

    if not config["extra"].get("foretoken"):
        raise ValueError('set the address of Foretoken in mkdocs.yml: extra: {foretoken: "https://example.org/foretoken/"}')
    script = ExtraScriptValue(f"{config['extra']['foretoken'].rstrip('/')}/embed.js")
    script.type = "module"
    config["extra_javascript"].append(script)
    return config


def on_page_markdown(markdown, page, config, **_):
    """MkDocs: code blocks of the language "foretoken"."""
    try:
        return replaced(markdown, lambda figure, body: Figure.read(figure, body, config["extra"]["foretoken"]).element())
    except ValueError as fault:
        raise ValueError(f"{page.file.src_path}: {fault}") from fault
