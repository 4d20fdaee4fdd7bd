// SPDX-License-Identifier: Apache-2.0
(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const read = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = (top, ground) =>
        ground.map((value, i) => i < 3 ? top[i] * top[3] + value * (1 - top[3]) : 1);
    const ground = (e) => e ? over(read(getComputedStyle(e).backgroundColor),
        ground(e.parentElement)) : [255, 255, 255, 1];
    const light = (colour) => colour.slice(0, 3).map((value) => value / 255)
        .map((share) => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    const ratio = (colour, below) => {
        const [a, b] = [light(over(read(colour), below)), light(below)].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
    };
    const says = (e) => [...e.childNodes].some((node) =>
        node.nodeType === 3 && node.textContent.trim());
    const found = [];
    let seen = 0;
    for (const e of document.querySelectorAll('body *')) {
        const mark = e.matches('.dot:not(.e3, .hollow), .bar rect:not(.skip, .rest)');
        if ((!mark && !says(e)) || e.closest('script, noscript') || !e.checkVisibility()) continue;
        const style = getComputedStyle(e);
        const behind = ground(e.closest('svg')?.parentElement || e);
        const value = ratio(e.closest('svg') ? style.fill : style.color, behind);
        seen++;
        if (value < (mark ? 3 : 4.5))
            found.push(`${value.toFixed(2)} ${e.tagName}.${e.getAttribute('class')} ` +
                       e.textContent.slice(0, 40));
    }
    return [seen, [...new Set(found)]];
})()
