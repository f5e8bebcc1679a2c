// Heads of a report's tables sort their rows; arrow keys and clicks show the values of its charts. Without it the page shows
// everything in its first order. Pages are also XML, so there is no less-than, greater-than or ampersand sign here.
(function () {
  "use strict";
  const collator = new Intl.Collator("en", { numeric: true });
  /** What a cell is sorted by; null sorts last in both directions. */
  function keyOf(row, column, isNumber) {
    const cell = row.cells[column];
    if (isNumber) return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
    const text = cell.textContent.trim().replace(/(\d),(?=\d{3})/g, "$1");
    return text === "" || text === "–" ? null : text;
  }
  function sortBy(rows, column, isNumber, direction) {
    return rows.map(function (row) {
      return { row: row, key: keyOf(row, column, isNumber) };
    }).sort(function (one, other) {
      if (one.key === null || other.key === null) return (one.key === null) - (other.key === null);
      return direction * (isNumber ? one.key - other.key : collator.compare(one.key, other.key));
    }).map(function (entry) { return entry.row; });
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    const body = table.tBodies[0], first = Array.from(body.rows), heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      const button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column; a third time: first order";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", function () {
        const last = head.getAttribute("aria-sort");
        const next = last === null ? "ascending" : last === "ascending" ? "descending" : null;
        heads.forEach(function (one) { one.removeAttribute("aria-sort"); });
        if (next !== null) head.setAttribute("aria-sort", next);
        const isNumber = head.classList.contains("number");
        const rows = next === null ? first : sortBy(first, column, isNumber, next === "ascending" ? 1 : -1);
        body.append(...rows);
      });
    });
  });

  document.querySelectorAll("figure .chart").forEach(function (chart) {
    const marks = Array.from(chart.querySelectorAll("rect.value"));
    if (marks.length === 0) return;
    const note = document.createElement("output");
    let shown = -1;
    function show(index) {
      if (marks[shown]) marks[shown].classList.remove("shown");
      shown = (index + marks.length) % marks.length;
      const mark = marks[shown];
      mark.classList.add("shown");
      mark.scrollIntoView({ block: "nearest", inline: "nearest" });
      note.textContent = mark.querySelector("title").textContent;
      if (note.parentNode === null) chart.after(note);
    }
    function hide() {
      if (marks[shown]) marks[shown].classList.remove("shown");
      shown = -1;
      note.remove();
    }
    chart.tabIndex = 0;
    chart.setAttribute("role", "group");
    chart.setAttribute("aria-label", chart.parentNode.getAttribute("aria-label") + "; arrow keys show its values");
    chart.addEventListener("keydown", function (event) {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (step === undefined) return;
      event.preventDefault();
      show(shown === -1 ? (step === 1 ? 0 : -1) : shown + step);
    });
    chart.addEventListener("click", function (event) {
      const index = marks.indexOf(event.target);
      if (index === -1) hide();
      else show(index);
    });
  });
})();
