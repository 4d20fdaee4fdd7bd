// SPDX-License-Identifier: Apache-2.0
// What the HTML report does beyond being read: filters, sorts and unfolds the table of all results,
// copies commands, switches the scheme. Texts of the store reach the page as text, never as markup.
'use strict';

(() => {
  const COLUMNS = ['test', 'rest', 'pairs', 'id', 'device', 'result', 'counted', 'expectation',
    'kind', 'runs', 'failed', 'judged', 'low', 'high', 'rate', 'reason', 'instances', 'seconds', 'sha', 'stress',
    'rule', 'before', 'after', 'placed', 'outcomes'];
  const TEXTS = ['test', 'kind', 'rate', 'reason', 'sha', 'stress', 'rule', 'before',
    'after'];
  const PAGE = 100;
  const MOST_PRINTED = 1500;

  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($('data').textContent);

  const rows = (data.rows || []).map((values, index) => {
    const row = {index};
    COLUMNS.forEach((name, at) => { row[name] = values[at]; });
    for (const name of TEXTS) row[name] = data.texts[row[name]];
    row.name = row.test + row.rest;
    row.label = row.rest.split(/[/,@]/).slice(1).filter((_, at) => row.pairs >> at & 1).join(', ');
    row.family = row.test.split('.')[0];
    row.result = data.results[row.result];
    row.counted = data.counted[row.counted];
    row.expectation = data.expectations[row.expectation];
    return row;
  });

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const count = (number) => number.toLocaleString('en-US');

  // ---- copying

  async function copy(text, element) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Pages of plain HTTP and some files have no clipboard: an old way, else it is left selected.
      const range = document.createRange();
      range.selectNodeContents(element);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return document.execCommand('copy');
    }
  }

  function addCopier(code) {
    const button = make('button', {type: 'button', class: 'copier'}, 'Copy');
    button.setAttribute('aria-label', `Copy ${code.textContent.slice(0, 60)}`);
    button.addEventListener('click', async () => {
      button.textContent = await copy(code.textContent, code) ? 'Copied' : 'Selected';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    code.after(button);
  }

  // ---- rows

  const SVG = 'http://www.w3.org/2000/svg';
  const SHAPES = {
    forbidden: 'l5-5 5 5-5 5z', contested: 'a4 4 0 1 1 8 0a4 4 0 1 1-8 0z', assumed: 'v-4h8v8h-8z',
    control: 'a4 4 0 1 1 8 0a4 4 0 1 1-8 0z',
  };

  function place(rate) {
    const share = rate > 0 ? 1 + Math.log10(rate) / data.decades : 0;
    return (8 + 144 * Math.min(1, Math.max(0, share))).toFixed(1);
  }

  function path(svg, kind, d) {
    const element = document.createElementNS(SVG, 'path');
    element.setAttribute('class', kind);
    element.setAttribute('d', d);
    svg.append(element);
  }

  // The same picture as those of the page, half as wide.
  function plot(row) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 160 16');
    svg.setAttribute('aria-hidden', 'true');
    const kind = `e${data.expectations.indexOf(row.expectation)}`;
    if (row.failed) {
      const half = row.expectation === 'forbidden' ? 5 : 4;
      path(svg, `interval ${kind}`, `M${place(row.low)} 8H${place(row.high)}`);
      path(svg, `dot ${kind}`,
        `M${(place(row.failed / row.judged) - half).toFixed(1)} 8${SHAPES[row.expectation]}`);
    } else {
      path(svg, 'bound', `M${place(row.high)} 8H4`);
      path(svg, 'bound cap', `M8 4.5 4 8l4 3.5M${place(row.high)} 4v8`);
    }
    return svg;
  }

  function command(row) {
    return row.before ? row.before + row.id + row.after : row.after;
  }

  function fact(list, name, ...value) {
    list.append(make('dt', {}, name), make('dd', {}, ...value));
  }

  function copied(text) {
    return make('code', {class: 'copy'}, ...breakable(text));
  }

  function detail(row) {
    const list = make('dl', {class: 'facts'});
    fact(list, 'configuration', copied(row.name));
    fact(list, 'reproduce', copied(command(row)));
    if (row.reason) fact(list, 'reason', row.reason);
    const outcomes = [];
    for (let i = 0; i < row.outcomes.length; i += 2)
      outcomes.push(`${data.texts[row.outcomes[i]]} ${count(row.outcomes[i + 1])}`);
    if (outcomes.length)
      fact(list, `outcomes of ${count(row.instances)} units`, outcomes.join(', '));
    if (row.judged !== row.runs)
      fact(list, 'expired bounded wait', `${count(row.runs - row.judged)} runs`);
    if (row.stress) fact(list, 'under stress', row.stress);
    if (row.rule) fact(list, 'stopping rule', row.rule);
    if (row.sha) fact(list, 'SPIR-V SHA-256', make('code', {}, row.sha));
    fact(list, 'measured in', `${row.seconds.toFixed(2)} s`);
    if (row.placed)
      fact(list, 'evidence', make('a', {href: `#failed-${row.index}`}, 'what failed'));
    const cell = make('td', {colspan: heads.length, class: 'detail'}, list);
    list.querySelectorAll('.copy').forEach(addCopier);
    return make('tr', {}, cell);
  }

  // Long names may break behind their separators, and anywhere if they have none.
  function breakable(text) {
    return text.match(/[^,/@ ]{1,32}[,/@ ]?|[,/@ ]/gu).flatMap((piece) => [piece, make('wbr')]);
  }

  function nameCell(row) {
    const button = make('button', {type: 'button', 'aria-expanded': 'false'},
      make('b', {}, ...breakable(row.test)), ...breakable(row.label || ' '), ' ',
      make('code', {class: 'id'}, row.id));
    button.addEventListener('click', () => {
      const line = button.closest('tr');
      const open = button.getAttribute('aria-expanded') === 'true';
      button.setAttribute('aria-expanded', String(!open));
      if (open) line.nextElementSibling.remove();
      else line.after(detail(row));
    });
    return make('th', {scope: 'row', class: 'config'}, button);
  }

  function line(row) {
    const cells = [
      make('td', {}, make('span', {class: `chip ${row.kind}`}, row.result)),
      nameCell(row),
      make('td', {}, row.expectation),
      ...['runs', 'failed'].map((name) =>
        make('td', {class: row[name] ? 'n' : 'n none', 'data-of': name}, count(row[name]))),
      make('td', {class: 'plots'}, ...(row.judged ? [plot(row)] : [])),
      make('td', {class: 'rate'}, row.rate),
    ];
    if (data.devices > 1)
      cells.splice(2, 0, make('td', {class: 'n', 'data-of': 'device'}, String(row.device)));
    return make('tr', {'data-index': row.index}, ...cells);
  }

  // ---- filters and order

  const filters = {
    text: $('by-text'), family: $('by-family'), result: $('by-result'),
    expectation: $('by-expectation'), device: $('by-device'),
  };

  const KEYS = {
    result: (row) => row.result, name: (row) => row.name, device: (row) => row.device,
    expectation: (row) => data.expectations.indexOf(row.expectation), runs: (row) => row.runs,
    failed: (row) => row.failed,
    // Rates that were seen before bounds, unknown ones last.
    rate: (row) => !row.judged ? -1 : row.failed ? 1 + row.failed / row.judged : row.high,
  };
  const heads = [['result', 'result'], ['name', 'configuration'], ['expectation', 'expectation'],
    ['runs', 'runs'], ['failed', 'failed'], ['', 'plot'], ['rate', 'rate, 95\u00a0% interval']];
  if (data.devices > 1) heads.splice(2, 0, ['device', 'device']);

  let shown = rows;
  let drawn = 0;
  let order = {key: '', down: false};

  function matches(row, words) {
    const result = filters.result.value;
    if (filters.family.value && row.family !== filters.family.value) return false;
    if (filters.expectation.value && row.expectation !== filters.expectation.value) return false;
    if (filters.device.value && String(row.device) !== filters.device.value) return false;
    if (result && `counted-${row.counted}` !== result && `ended-${row.result}` !== result)
      return false;
    if (!words.length) return true;
    row.text = row.text ||
      [row.name, row.id, row.reason, row.result, row.stress].join(' ').toLowerCase();
    return words.every((word) => row.text.includes(word));
  }

  function draw(most) {
    const body = $('table').tBodies[0];
    const until = Math.min(shown.length, drawn + most);
    const lines = [];
    for (; drawn < until; drawn++) lines.push(line(shown[drawn]));
    body.append(...lines);
    $('more').hidden = drawn === shown.length;
    $('more-page').textContent = `Show ${count(Math.min(PAGE, shown.length - drawn))} more`;
  }

  function update() {
    const words = filters.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = rows.filter((row) => matches(row, words));
    if (order.key) {
      const key = KEYS[order.key];
      const sign = order.down ? -1 : 1;
      shown.sort((a, b) => {
        const left = key(a);
        const right = key(b);
        return left < right ? -sign : left > right ? sign : a.index - b.index;
      });
    }
    drawn = 0;
    $('table').tBodies[0].replaceChildren();
    draw(PAGE);
    $('shown').textContent = shown.length === rows.length
      ? `${count(rows.length)} rows` : `${count(shown.length)} of ${count(rows.length)} rows`;
  }

  function sortBy(key, head) {
    order = {key, down: order.key === key ? !order.down : key !== 'name' && key !== 'result'};
    for (const other of $('table').tHead.querySelectorAll('[aria-sort]'))
      other.setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
    update();
  }

  function makeHeads() {
    const cells = heads.map(([key, title]) => {
      const number = ['device', 'runs', 'failed'].includes(key);
      const head = make('th', {scope: 'col', class: number ? 'n' : key ? '' : 'plots'});
      if (!key) {
        head.setAttribute('aria-label', title);
        return head;
      }
      const button = make('button', {type: 'button', 'data-sort': key}, title);
      button.addEventListener('click', () => sortBy(key, head));
      head.setAttribute('aria-sort', 'none');
      head.append(button);
      return head;
    });
    $('table').tHead.append(make('tr', {}, ...cells));
  }

  function startTable() {
    const families = [...new Set(rows.map((row) => row.family))].sort();
    for (const family of families) filters.family.append(make('option', {value: family}, family));
    if (data.devices < 2) filters.device.parentElement.hidden = true;
    makeHeads();
    const page = make('button', {type: 'button', id: 'more-page'});
    const all = make('button', {type: 'button', id: 'more-all'}, 'Show all');
    page.addEventListener('click', () => draw(PAGE));
    all.addEventListener('click', () => draw(Infinity));
    $('more').append(page, all);
    $('filter').addEventListener('submit', (event) => event.preventDefault());
    $('filter').addEventListener('input', update);
    $('filter').addEventListener('reset', () => setTimeout(update));
    $('filter').hidden = $('shown').hidden = $('table').hidden = false;
    update();
  }

  // Counts elsewhere on the page lead here with a filter.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href="#results"]');
    if (!link || !rows.length) return;
    const wanted = Object.keys(filters).filter((name) => name in link.dataset);
    if (!wanted.length) return;
    for (const [name, control] of Object.entries(filters)) control.value = link.dataset[name] || '';
    update();
  });

  // ---- the search of a site: data.pages has of each page its kind, name, address,
  // what it is about, and words that nobody reads

  const MOST_FOUND = 12;

  function find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    // Names before other words, beginnings before the rest.
    const rank = ([, name]) => words.every((word) => name.toLowerCase().startsWith(word)) ? 0
      : words.every((word) => name.toLowerCase().includes(word)) ? 1 : 2;
    return data.pages.filter((page) => {
      const whole = [page[0], page[1], ...page.slice(3)].join(' ').toLowerCase();
      return words.every((word) => whole.includes(word));
    }).map((page, at) => [rank(page), at, page])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , page]) => page);
  }

  function shorten(text) {
    return text.length > 120 ? text.slice(0, text.lastIndexOf(' ', 119)) + '\u2026' : text;
  }

  function showFound() {
    const found = find($('search').value);
    const more = found.length - MOST_FOUND;
    $('found').replaceChildren(...found.slice(0, MOST_FOUND).map(([kind, name, address, about]) =>
      make('li', {}, make('a', {href: data.up + address}, make('span', {class: 'soft'}, `${kind} `),
        ...breakable(name), make('small', {}, shorten(about))))));
    $('found').hidden = !$('search').value.trim();
    $('found-count').textContent = $('found').hidden ? '' : !found.length ? 'Nothing found'
      : more > 0 ? `${count(found.length)} pages, the first ${MOST_FOUND} are shown`
        : `${count(found.length)} ${found.length === 1 ? 'page' : 'pages'}`;
    if (!found.length || more > 0)
      $('found').append(make('li', {class: 'soft'}, $('found-count').textContent));
  }

  function startSearch() {
    $('find').hidden = false;
    $('search').addEventListener('input', showFound);
    $('find').addEventListener('submit', (event) => {
      event.preventDefault();
      const first = $('found').querySelector('a');
      if (first) first.click();
    });
    document.addEventListener('keydown', (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === '/' && !typing) {
        event.preventDefault();
        $('search').focus();
      } else if (event.key === 'Escape' && !$('found').hidden) {
        $('search').value = '';
        showFound();
      }
    });
    showFound(); // what a browser kept when it came back
  }

  // ---- the page

  function reveal() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    if (target) target.scrollIntoView();
  }

  const dark = matchMedia('(prefers-color-scheme: dark)');
  function isDark() {
    const chosen = document.documentElement.dataset.scheme;
    return chosen ? chosen === 'dark' : dark.matches;
  }
  function nameScheme() {
    $('scheme').textContent = isDark() ? 'Light' : 'Dark';
    $('scheme').setAttribute('aria-label', `Switch to ${isDark() ? 'light' : 'dark'} colours`);
  }
  // What was chosen is kept for the other pages of a site, where the browser allows it.
  function kept(scheme) {
    try {
      if (scheme && data.pages) localStorage.setItem('litmus-scheme', scheme);
      return localStorage.getItem('litmus-scheme');
    } catch {
      return null;
    }
  }
  $('scheme').addEventListener('click', () => {
    document.documentElement.dataset.scheme = isDark() ? 'light' : 'dark';
    kept(document.documentElement.dataset.scheme);
    nameScheme();
  });
  dark.addEventListener('change', nameScheme);

  const opened = [];
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not([open], .bulk, .spec)')) {
      details.open = true;
      opened.push(details);
    }
    if (rows.length) draw(MOST_PRINTED);
  });
  addEventListener('afterprint', () => {
    for (const details of opened.splice(0)) details.open = false;
  });

  if (data.pages && /^(light|dark)$/.test(kept())) document.documentElement.dataset.scheme = kept();
  nameScheme();
  $('scheme').hidden = false;
  document.querySelectorAll('.copy').forEach(addCopier);
  if (rows.length) startTable();
  if (data.pages) startSearch();
  addEventListener('hashchange', reveal);
  reveal();
})();
