"use strict";
// Draws the roofline and the timeline of the report, and sorts its tables.
(function () {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const report = read("report");
  const timeline = read("timeline");
  const COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888", "#ee8866", "#44bb99", "#9988dd"];
  const colour = (row) => (row < 0 ? "#8888" : COLOURS[row % COLOURS.length]);
  const tip = document.getElementById("tip");

  function scaled(value, unit) {
    const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "u"], [1e-9, "n"]];
    for (const [factor, prefix] of steps) {
      if (Math.abs(value) >= factor) return Number((value / factor).toPrecision(4)) + " " + prefix + unit;
    }
    return "0 " + unit;
  }

  function showTip(event, text) {
    tip.textContent = text;
    tip.style.display = text ? "block" : "none";
    tip.style.left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4) + "px";
    tip.style.top = event.clientY + 14 + "px";
  }

  function element(parent, name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function drawRoofline(svg) {
    const titles = timeline.titles;
    const points = [];
    report.kernels.forEach((kernel, row) => {
      const operations = kernel.intensity * (kernel.bytes.read + kernel.bytes.written);
      const rate = operations / kernel.calls / kernel.seconds.mean;
      if (kernel.intensity > 0 && rate > 0 && isFinite(rate))
        points.push({ x: kernel.intensity, y: rate, row, seconds: kernel.seconds.total || 0 });
    });
    const roof = report.roof;
    if (!points.length || !roof.copy) return false;
    const peaks = [["f64", roof.f64], ["f32", roof.f32], ["f16", roof.f16], ["tensor cores", roof.matrix]].filter((peak) => peak[1]);
    const width = 860, height = 380, left = 62, right = 150, top = 12, bottom = 40;
    const ridge = Math.max(...peaks.map((peak) => peak[1] / roof.copy), 1);
    const xs = points.map((point) => point.x).concat([ridge * 4, 0.1]);
    const x0 = Math.floor(Math.log10(Math.min(...xs))), x1 = Math.ceil(Math.log10(Math.max(...xs)));
    const highest = Math.max(...points.map((point) => point.y), ...peaks.map((peak) => peak[1]));
    const y1 = Math.ceil(Math.log10(highest));
    const y0 = Math.floor(Math.log10(Math.min(...points.map((point) => point.y), highest / 1e3)));
    const px = (x) => left + ((Math.log10(x) - x0) / (x1 - x0)) * (width - left - right);
    const py = (y) => height - bottom - ((Math.log10(y) - y0) / (y1 - y0)) * (height - top - bottom);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (let decade = x0; decade <= x1; decade++) {
      element(svg, "line", { x1: px(10 ** decade), x2: px(10 ** decade), y1: top, y2: height - bottom, stroke: "#8883" });
      element(svg, "text", { x: px(10 ** decade), y: height - bottom + 16, "text-anchor": "middle" }, String(Number((10 ** decade).toPrecision(1))));
    }
    for (let decade = y0; decade <= y1; decade++) {
      element(svg, "line", { x1: left, x2: width - right, y1: py(10 ** decade), y2: py(10 ** decade), stroke: "#8883" });
      element(svg, "text", { x: left - 6, y: py(10 ** decade) + 4, "text-anchor": "end" }, scaled(10 ** decade, ""));
    }
    element(svg, "text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, "operations per byte of device memory");
    element(svg, "text", { x: 12, y: top + 150, transform: `rotate(-90 12 ${top + 150})`, "text-anchor": "middle" }, "operations per second");
    const low = Math.max(10 ** x0, 10 ** y0 / roof.copy);
    const fastest = Math.max(...peaks.map((peak) => peak[1]), highest);
    element(svg, "line", { x1: px(low), y1: py(low * roof.copy), x2: px(fastest / roof.copy), y2: py(fastest), stroke: "currentColor", "stroke-width": 2 });
    const middle = Math.sqrt(low * (fastest / roof.copy));
    element(svg, "text", { x: px(middle) - 8, y: py(middle * roof.copy) - 8, "text-anchor": "end" }, "memory, " + scaled(roof.copy, "B/s"));
    for (const [name, peak] of peaks) {
      element(svg, "line", { x1: px(peak / roof.copy), x2: width - right, y1: py(peak), y2: py(peak), stroke: "currentColor", "stroke-width": 2, opacity: 0.7 });
      element(svg, "text", { x: width - right + 6, y: py(peak) + 4 }, `${name}, ${scaled(peak, "op/s")}`);
    }
    const most = Math.max(...points.map((point) => point.seconds)) || 1;
    const labels = [];
    points.forEach((point) => {
      const circle = element(svg, "circle", { cx: px(point.x), cy: py(point.y), r: 4 + 8 * Math.sqrt(point.seconds / most), fill: colour(point.row), "fill-opacity": 0.75 });
      element(circle, "title", {}, `${titles[point.row]}: ${scaled(point.y, "op/s")}, ${Number(point.x.toPrecision(3))} operations per byte`);
      const x = px(point.x) + 14, y = py(point.y) + 4;
      if (labels.length >= 12 || labels.some((other) => Math.abs(other.y - y) < 14 && Math.abs(other.x - x) < 170)) return;
      labels.push({ x, y });
      element(svg, "text", { x, y }, titles[point.row].slice(0, 28));
    });
    return true;
  }

  function drawTimeline(canvas) {
    const lanes = timeline.lanes;
    if (!lanes.length) return false;
    const ROW = 24, HEAD = 22, LABEL = 130;
    const end = Math.max(...lanes.map((lane) => lane.records.reduce((most, record) => Math.max(most, record[0] + record[1]), 0)), 1e-3);
    let from = 0, to = end;
    const height = HEAD + ROW * lanes.length + 4;
    canvas.style.height = height + "px";
    const x = (time) => LABEL + ((time - from) / (to - from)) * (canvas.clientWidth - LABEL);
    function draw() {
      const ratio = devicePixelRatio || 1;
      canvas.width = canvas.clientWidth * ratio;
      canvas.height = height * ratio;
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      pen.font = "12px system-ui, sans-serif";
      const ink = getComputedStyle(document.body).color;
      const least = ((to - from) * 80) / (canvas.clientWidth - LABEL);
      const decade = 10 ** Math.floor(Math.log10(least));
      const step = decade * [1, 2, 5, 10].find((factor) => decade * factor >= least);
      for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
        pen.fillStyle = "#8883";
        pen.fillRect(x(tick), HEAD - 4, 1, height);
        pen.fillStyle = ink;
        const label = scaled(tick * 1e-6, "s");
        if (x(tick) + 2 + pen.measureText(label).width < canvas.clientWidth) pen.fillText(label, x(tick) + 2, 13);
      }
      lanes.forEach((lane, at) => {
        const y = HEAD + at * ROW;
        let last = -1;
        for (const [start, duration, row, name] of lane.records) {
          const a = Math.max(x(start), LABEL), b = Math.min(x(start + duration), canvas.clientWidth);
          if (b < LABEL || a > canvas.clientWidth || (b <= last && b - a < 1)) continue;
          pen.fillStyle = colour(row);
          pen.fillRect(a, y, Math.max(b - a, 1), ROW - 4);
          last = b;
          if (b - a > 40) {
            pen.save();
            pen.beginPath();
            pen.rect(a, y, b - a, ROW);
            pen.clip();
            pen.fillStyle = "#fff";
            pen.fillText(timeline.names[name], a + 4, y + 14);
            pen.restore();
          }
        }
        pen.clearRect(0, y, LABEL - 2, ROW);
        pen.fillStyle = ink;
        pen.fillText(lane.name, 2, y + 14);
      });
    }
    function recordAt(event) {
      const box = canvas.getBoundingClientRect();
      const lane = lanes[Math.floor((event.clientY - box.top - HEAD) / ROW)];
      const time = from + ((event.clientX - box.left - LABEL) / (box.width - LABEL)) * (to - from);
      const slack = (to - from) / (box.width - LABEL);
      return lane && lane.records.find((record) => time >= record[0] - slack && time <= record[0] + record[1] + slack);
    }
    let grabbed = null;
    canvas.addEventListener("mousedown", (event) => { grabbed = { x: event.clientX, from, to }; });
    addEventListener("mouseup", () => { grabbed = null; });
    canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
    canvas.addEventListener("mousemove", (event) => {
      if (grabbed) {
        const moved = ((grabbed.x - event.clientX) / (canvas.clientWidth - LABEL)) * (grabbed.to - grabbed.from);
        from = grabbed.from + moved;
        to = grabbed.to + moved;
        draw();
      }
      const record = recordAt(event);
      showTip(event, record ? `${timeline.names[record[3]]}: ${scaled(record[1] * 1e-6, "s")} at ${scaled(record[0] * 1e-6, "s")}` : "");
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const part = (event.offsetX - LABEL) / (canvas.clientWidth - LABEL);
      const at = from + part * (to - from);
      const span = Math.min(Math.max((to - from) * (event.deltaY > 0 ? 1.3 : 1 / 1.3), 1e-3), end * 2);
      from = at - part * span;
      to = from + span;
      draw();
    }, { passive: false });
    addEventListener("resize", draw);
    draw();
    return true;
  }

  function sortTables() {
    for (const table of document.querySelectorAll("table")) {
      [...table.tHead.rows[0].cells].forEach((cell, column) => {
        let descends = true;
        cell.addEventListener("click", () => {
          const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
          const order = (a, b) => (isNaN(value(a)) || isNaN(value(b)) ? String(value(b)).localeCompare(String(value(a))) : value(b) - value(a));
          const rows = [...table.tBodies[0].rows].sort((a, b) => (descends ? order(a, b) : order(b, a)));
          descends = !descends;
          table.tBodies[0].append(...rows);
        });
      });
    }
  }

  const hide = (id) => { document.getElementById(id).hidden = true; };
  if (!drawRoofline(document.querySelector("#roofline svg"))) hide("roofline");
  if (!drawTimeline(document.querySelector("#timelines canvas"))) hide("timelines");
  sortTables();
})();
