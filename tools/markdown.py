"""markdown.py - the part of Markdown that the docs use, as HTML. Used by make_site.py.

Blocks: headings, paragraphs, lists (also inside each other), tables, code (indented by four spaces, or fenced), pictures that
stand alone, comments (left out). In a line: `code`, **bold**, *emphasis*, [links](target), ![pictures](file), \\ before a mark.
Everything else is text. Anchors of headings are those that GitHub gives them.

    page = markdown.Page(text, address)     address(target) gives the link to write for a link in the text
    page.html, page.title, page.headings    headings: (level, anchor, text)
"""
import html
import re

HEADING = re.compile(r"(#{1,6}) +(.*)")
ITEM = re.compile(r"( *)(-|\d+\.) +(.*)")
RULE = re.compile(r"\|( *:?-+:? *\|)+")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
LINK = re.compile(r"\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)")
CODE = re.compile(r"(`+)(.+?)\1")


def anchor_of(text, taken):
    """Lower case, hyphens for blanks, nothing but letters, digits, hyphens and underscores; a number behind it if it is taken."""
    base = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    anchor, count = base, 0
    while anchor in taken:
        count += 1
        anchor = "%s-%d" % (base, count)
    taken.add(anchor)
    return anchor


def plain(text):
    """The text of a line without its marks."""
    text = LINK.sub(r"\1", PICTURE.sub(r"\1", text))
    return re.sub(r"\\(\W)", r"\1", re.sub(r"[`]|\*\*", "", text))


def cells_of(line):
    """The cells of a row: | ends a cell unless \\ is before it."""
    inner = line.strip()[1:].rstrip()
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


class Page:
    def __init__(self, text, address=lambda target: target):
        self.address = address
        self.headings = []
        self._anchors = set()
        text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
        self.html = "\n".join(self._blocks(text.expandtabs(4).split("\n"))) + "\n"

    @property
    def title(self):
        return next((text for level, _, text in self.headings if level == 1), "")

    # ---- blocks ------------------------------------------------------------------------------------------

    def _blocks(self, lines):
        out, at = [], 0
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            block, at = self._reader(lines, at)(lines, at)
            out.append(block)
        return out

    def _reader(self, lines, at):
        line = lines[at]
        if line.startswith("```"):
            return self._fenced
        if line.startswith("    "):
            return self._indented
        if HEADING.match(line):
            return self._heading
        if self._is_table(lines, at):
            return self._table
        if ITEM.match(line):
            return self._list
        return self._paragraph

    @staticmethod
    def _is_table(lines, at):
        return lines[at].startswith("|") and at + 1 < len(lines) and RULE.fullmatch(lines[at + 1].strip()) is not None

    def _heading(self, lines, at):
        marks, text = HEADING.match(lines[at]).groups()
        anchor = anchor_of(plain(text), self._anchors)
        self.headings.append((len(marks), anchor, plain(text)))
        return '<h%d id="%s">%s</h%d>' % (len(marks), anchor, self.line(text), len(marks)), at + 1

    @staticmethod
    def _code(lines):
        return "<pre><code>%s</code></pre>" % html.escape("\n".join(lines).rstrip(), quote=False)

    def _fenced(self, lines, at):
        end = next((k for k in range(at + 1, len(lines)) if lines[k].startswith("```")), len(lines))
        return self._code(lines[at + 1 : end]), end + 1

    def _indented(self, lines, at):
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        return self._code([line[4:] for line in lines[at:end]]), end

    def _table(self, lines, at):
        end = at + 2
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        row = lambda line, tag: "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (tag, self.line(cell), tag) for cell in cells_of(line))
        body = "\n".join(row(line, "td") for line in lines[at + 2 : end])
        return '<div class="table"><table>\n<thead>%s</thead>\n<tbody>\n%s\n</tbody>\n</table></div>' % (row(lines[at], "th"), body), end

    def _list(self, lines, at):
        """Items of one depth; the lines of an item that are indented as its text belong to it."""
        depth, mark, _ = ITEM.match(lines[at]).groups()
        tag = "ul" if mark == "-" else "ol"
        items = []
        while at < len(lines):
            found = ITEM.match(lines[at])
            if not found or found[1] != depth or (found[2] == "-") != (tag == "ul"):
                break
            at, item = self._item(lines, at, found)
            items.append(item)
        return "<%s>\n%s\n</%s>" % (tag, "\n".join(items), tag), at

    def _item(self, lines, at, found):
        inside = len(found[1]) + len(found[2]) + 1
        own, at = [found[3]], at + 1
        while at < len(lines):
            line = lines[at]
            blank_inside = not line.strip() and at + 1 < len(lines) and lines[at + 1].startswith(" " * inside)
            if not (line.startswith(" " * inside) or blank_inside):
                break
            own.append(line[inside:])
            at += 1
        while at < len(lines) and not lines[at].strip() and at + 1 < len(lines) and ITEM.match(lines[at + 1]):
            at += 1  # blank lines between two items
        blocks = self._blocks(own)
        if len(blocks) > 0 and blocks[0].startswith("<p>"):
            blocks[0] = blocks[0][3:-4]
        return at, "<li>%s</li>" % "\n".join(blocks)

    def _paragraph(self, lines, at):
        end = at + 1
        while end < len(lines) and lines[end].strip() and not self._interrupts(lines, end):
            end += 1
        text = " ".join(line.strip() for line in lines[at:end])
        alone = PICTURE.fullmatch(text)
        if alone:
            return "<figure>%s<figcaption>%s</figcaption></figure>" % (self._picture(*alone.groups()), html.escape(alone[1])), end
        return "<p>%s</p>" % self.line(text), end

    def _interrupts(self, lines, at):
        line = lines[at]
        item = ITEM.match(line)
        return bool(line.startswith("```") or HEADING.match(line) or self._is_table(lines, at) or (item and item[2] in ("-", "1.")))

    # ---- in a line ---------------------------------------------------------------------------------------

    def _picture(self, text, target):
        return '<img src="%s" alt="%s">' % (html.escape(self.address(target)), html.escape(text))

    def line(self, text):
        """The HTML of a line. What must not be read again (code, links, escaped marks) is kept aside meanwhile."""
        kept = []

        def keep(piece):
            kept.append(piece)
            return "\0%d\0" % (len(kept) - 1)

        text = CODE.sub(lambda m: keep("<code>%s</code>" % html.escape(m[2].strip() if len(m[1]) > 1 else m[2], quote=False)), text)
        text = re.sub(r"\\([^\w\s])", lambda m: keep(html.escape(m[1])), text)
        text = PICTURE.sub(lambda m: keep(self._picture(m[1], m[2])), text)
        text = LINK.sub(lambda m: keep('<a href="%s">' % html.escape(self.address(m[2]))) + m[1] + keep("</a>"), text)
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(\S|\S.*?\S)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*(\S|\S.*?\S)\*(?![\w*])", r"<em>\1</em>", text)
        return re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], text)
