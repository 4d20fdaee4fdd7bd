// SPDX-License-Identifier: Apache-2.0
[...document.querySelectorAll('svg')].flatMap((svg) => {
    const whole = svg.viewBox.baseVal;
    return [...svg.children].filter((e) => e.checkVisibility()).map((e) => {
        const box = e.getBBox();
        const style = getComputedStyle(e);
        const more = style.stroke === 'none' || e.classList.contains('decades') ? 0
            : parseFloat(style.strokeWidth) / 2;
        return [e, box.x - more - whole.x, box.y - more - whole.y,
            whole.x + whole.width - box.x - box.width - more,
            whole.y + whole.height - box.y - box.height - more];
    }).filter(([e, ...room]) => !e.matches('.grid') && Math.min(...room) < -0.6)
        .map(([e, ...room]) => `${e.outerHTML}: ${room}`);
})
