// SPDX-License-Identifier: Apache-2.0
// Evaluates to the list of what a reader of the open page would see as wrong. isDark: the mode that was requested.
((isDark) => {
  const faults = new Set(), root = document.documentElement, width = window.innerWidth;
  const parse = (text) => {
    const parts = (text.match(/[\d.]+/g) || []).map(Number);
    return parts.length === 3 ? [...parts, 1] : parts;
  };
  const over = (top, below) => below.slice(0, 3).map((each, i) => top[i] * top[3] + each * (1 - top[3])).concat(1);
  const luminance = (color) => {
    const [r, g, b] = color.map((each) => each / 255).map((each) => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = new Map();
  const groundOf = (element) => {
    if (!element) return [255, 255, 255, 1];
    if (!grounds.has(element)) {
      const own = parse(getComputedStyle(element).backgroundColor);
      grounds.set(element, own[3] >= 1 ? own : over(own, groundOf(element.parentElement)));
    }
    return grounds.get(element);
  };
  const isApart = (element) => {  // it scrolls by itself, or slides in from a side
    for (let each = element; each && each !== document.body; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (/auto|scroll/.test(style.overflowX) || style.position === 'fixed') return true;
    }
    return false;
  };

  if (root.scrollWidth > width) faults.add(`is ${root.scrollWidth} pixels wide`);
  const ground = luminance(groundOf(document.body));
  if (isDark ? ground > 0.1 : ground < 0.8) faults.add(`has the background of the other mode, rgb(${groundOf(document.body)})`);
  for (const image of document.images)
    if (!image.complete || image.naturalWidth === 0) faults.add(`lacks the image ${image.src}`);

  let last = 0, letters = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const seen = new Set();
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement, text = node.data.trim();
    if (!text || /^(SCRIPT|STYLE|NOSCRIPT|TITLE|OPTION)$/.test(element.tagName)) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (box.width === 0 || box.height === 0 || style.visibility !== 'visible' || style.opacity === '0') continue;
    if (element.closest('[aria-hidden=true], .visually-hidden, .skip-nav, svg')) continue;
    letters += text.length;
    last = Math.max(last, box.bottom + window.scrollY);
    const shown = text.slice(0, 40);
    if ((box.right > width + 1 || box.left < -1) && !isApart(element)) faults.add(`cuts off '${shown}', from ${Math.round(box.left)} to ${Math.round(box.right)}`);
    const colors = style.color + groundOf(element) + style.fontSize + style.fontWeight;
    if (seen.has(colors)) continue;
    seen.add(colors);
    const back = groundOf(element), front = over(parse(style.color), back);
    const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    if (contrast < (isLarge ? 3 : 4.5))
      faults.add(`has '${shown}' in ${style.color} on rgb(${back.slice(0, 3).map(Math.round)}), a contrast of ${contrast.toFixed(1)}`);
  }
  if (letters < 200) faults.add(`has ${letters} letters of text`);
  if (root.scrollHeight - last > window.innerHeight) faults.add(`is empty below ${Math.round(last)} of ${root.scrollHeight} pixels`);
  return [...faults];
})
