// Search, dots, hidden columns and the overview of an alignment's page. Without it the page shows all rows.
(() => {
  const at = id => document.getElementById(id);
  const all = at("all"), rowsElement = at("rows"), names = at("names"), canvas = at("overview");
  const sources = rowsElement.innerHTML.split("\n").slice(0, -1);
  const nameLines = at("nameLines").textContent.split("\n").slice(0, -1);
  const consensus = at("consensus").textContent, ruler = at("ruler").textContent;
  const below = [...at("below").children].map(element => [element, element.textContent]);
  // A character a column: tenths of the confidence, * for 10, a dot for a gap.
  const sure = at("confidences")?.textContent.trim().split("\n");
  const width = consensus.length, lineHeight = 18;
  const parsed = [];
  /** Letters of a row, and the number of the colour of each. */
  function row(k) {
    if (parsed[k]) return parsed[k];
    let text = "", paints = [];
    for (const part of sources[k].matchAll(/<b class="p(\d+)">([^<]*)<\/b>|([^<]+)/g)) {
      const letters = part[2] ?? part[3];
      text += letters;
      for (let i = 0; i < letters.length; ++i) paints.push(part[1] | 0);
    }
    return (parsed[k] = { text, paints });
  }
  let gapShares = null, kept = [...Array(width).keys()], hits = [], current = -1;
  function columnsWithin(most) {
    if (most >= 1) return [...Array(width).keys()];
    if (!gapShares) {
      gapShares = new Array(width).fill(0);
      for (let k = 0; k < sources.length; ++k)
        for (let c = 0, text = row(k).text; c < width; ++c) if (text[c] === "-") gapShares[c] += 1 / sources.length;
    }
    return [...Array(width).keys()].filter(c => gapShares[c] <= most + 1e-9);
  }
  /** Columns of the matches in a row without its gaps. */
  function matches(text, pattern) {
    const places = [];
    for (let c = 0; c < width; ++c) if (text[c] !== "-") places.push(c);
    const found = [];
    for (const match of places.map(c => text[c]).join("").matchAll(pattern))
      if (match[0]) found.push(places.slice(match.index, match.index + match[0].length));
    return found;
  }
  const escaped = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  function draw() {
    const query = at("find").value.trim(), dots = at("dots").checked, shade = at("shade").checked;
    let pattern = null;
    try { pattern = query ? new RegExp(query, "gi") : null; } catch { /* not finished yet */ }
    kept = columnsWithin(at("gaps").value / 100);
    hits = [];
    current = -1;
    const isPlain = !pattern && !dots && !shade && kept.length === width;
    const lines = isPlain ? sources : sources.map((_, k) => {
      const { text, paints } = row(k), marked = new Set();
      if (pattern) for (const columns of matches(text, pattern)) {
        hits.push([k, columns[0]]);
        columns.forEach(c => marked.add(c));
      }
      let html = "", run = "", last = "";
      const flush = () => { html += last ? `<b class="${last}">${run}</b>` : run; run = ""; };
      for (const c of kept) {
        const look = (paints[c] ? "p" + paints[c] : "") + (marked.has(c) ? " hit" : "") +
          (shade && sure[k][c] >= "0" && sure[k][c] <= "9" ? " s" + sure[k][c] : "");
        if (look !== last) { flush(); last = look; }
        run += dots && text[c] === consensus[c] && text[c] !== "-" ? "." : text[c];
      }
      flush();
      return html;
    });
    rowsElement.innerHTML = lines.join("\n") + "\n";
    const pick = text => kept.length === width ? text : kept.map(c => text[c]).join("");
    at("consensus").textContent = pick(consensus);
    at("ruler").textContent = kept.length === width ? ruler : rulerOf(kept);
    for (const [element, text] of below) element.textContent = pick(text);
    let named = 0;
    at("nameLines").innerHTML = nameLines.map(name => {
      const isHit = pattern && new RegExp(query, "i").test(name);
      named += isHit;
      return isHit ? `<b class="hit">${escaped(name)}</b>` : escaped(name);
    }).join("\n") + "\n";
    at("found").textContent = !pattern ? "" :
      `${hits.length} in ${new Set(hits.map(hit => hit[0])).size} sequences, ${named} names`;
    at("hidden").textContent = kept.length === width ? "" : `${width - kept.length} columns hidden`;
    drawOverview();
  }
  /** Numbers of columns where they are multiples of ten, ending at their columns. */
  function rulerOf(columns) {
    const text = new Array(columns.length).fill(" ");
    columns.forEach((c, i) => {
      const number = String(c + 1);
      if ((c + 1) % 10 === 0 && i + 1 >= number.length) [...number].forEach((d, j) => text[i + 1 - number.length + j] = d);
    });
    return text.join("");
  }
  const colors = {};
  for (const key of document.querySelectorAll(".key")) colors[key.className.match(/p(\d+)/)[1]] = getComputedStyle(key).backgroundColor;
  function drawOverview() {
    const w = Math.min(kept.length, 1600), h = Math.min(sources.length, 160), paper = canvas.getContext("2d");
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = Math.max(h, Math.min(6 * h, 60)) + "px";
    const marked = new Set(hits.map(hit => Math.floor(hit[0] * h / sources.length) + " " + Math.floor(kept.indexOf(hit[1]) * w / kept.length)));
    for (let y = 0; y < h; ++y) {
      const { text, paints } = row(Math.floor(y * sources.length / h));
      for (let x = 0; x < w; ++x) {
        const c = kept[Math.floor(x * kept.length / w)];
        paper.fillStyle = marked.has(y + " " + x) ? "#000" : text[c] === "-" ? "#fff" : colors[paints[c]] ?? "#d6d6da";
        paper.fillRect(x, y, 1, 1);
      }
    }
    drawView();
  }
  const letterWidth = () => at("consensus").getBoundingClientRect().width / Math.max(kept.length, 1);
  /** The frame of what is visible below. */
  function drawView() {
    const frame = at("view").style, box = canvas.getBoundingClientRect();
    const wide = kept.length * letterWidth(), high = sources.length * lineHeight;
    const left = all.scrollLeft / wide, top = all.scrollTop / high;
    frame.left = left * box.width + "px";
    frame.top = top * box.height + "px";
    frame.width = Math.min((all.clientWidth - names.offsetWidth) / wide, 1 - left) * box.width + "px";
    frame.height = Math.min((all.clientHeight - 3 * lineHeight) / high, 1 - top) * box.height + "px";
  }
  function showHit(step) {
    if (!hits.length) return;
    current = (current + step + hits.length) % hits.length;
    const [k, c] = hits[current];
    all.scrollLeft = Math.max(0, kept.indexOf(c) - 10) * letterWidth();
    all.scrollTop = Math.max(0, k - 5) * lineHeight;
  }
  let wait = 0;
  at("find").addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(draw, 200); });
  at("find").addEventListener("keydown", event => { if (event.key === "Enter") showHit(event.shiftKey ? -1 : 1); });
  at("next").addEventListener("click", () => showHit(1));
  for (const id of ["dots", "shade", "gaps"]) at(id).addEventListener("change", draw);
  all.addEventListener("scroll", drawView);
  window.addEventListener("resize", drawView);
  canvas.addEventListener("click", event => {
    const box = canvas.getBoundingClientRect();
    all.scrollLeft = (event.clientX - box.left) / box.width * kept.length * letterWidth() - all.clientWidth / 2;
    all.scrollTop = (event.clientY - box.top) / box.height * sources.length * lineHeight - all.clientHeight / 2;
  });
  // What the pointer is on: name, letter, its number in the sequence, its column and confidence.
  rowsElement.addEventListener("mousemove", event => {
    const box = rowsElement.getClientRects()[0];
    const k = Math.floor((event.clientY - box.top + (lineHeight - box.height) / 2) / lineHeight), c = kept[Math.floor((event.clientX - box.left) / letterWidth())];
    if (!(k >= 0 && k < sources.length) || c === undefined) return;
    const text = row(k).text, letter = text[c], tenths = sure?.[k][c];
    const number = text.slice(0, c + 1).replaceAll("-", "").length;
    at("residue").textContent = `${nameLines[k]}: ${letter === "-" ? "gap" : letter + number}, column ${c + 1}` +
      (tenths && tenths !== "." ? `, confidence ${tenths === "*" ? "0.95 or more" : "0." + tenths}` : "");
  });
  at("shading").hidden = !sure;
  at("tools").hidden = false;
  drawOverview();
})();
