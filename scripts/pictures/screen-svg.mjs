/**
 * A screen as `tmux capture-pane -e` gives it, as an SVG. Every stretch of text has its width given, so that the columns
 * stand in line with whatever font the reader has.
 *
 * @typedef {{ background: string, text: string, dim: string, colors: readonly string[] }} Theme
 * @typedef {{ bold: boolean, dim: boolean, inverse: boolean, color: number, under: number }} Style
 */

const column = 8.4
const row = 18
const margin = 14
const plain = { bold: false, dim: false, inverse: false, color: -1, under: -1 }

/** @type {Readonly<Record<'light' | 'dark', Theme>>} */
export const themes = {
  light: {
    background: '#ffffff',
    text: '#24292f',
    dim: '#818b98',
    colors: ['#24292f', '#cf222e', '#116329', '#7d4e00', '#0550ae', '#8250df', '#1b7c83', '#57606a'],
  },
  dark: {
    background: '#14171c',
    text: '#e6edf3',
    dim: '#7d8590',
    colors: ['#14171c', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#39c5cf', '#b1bac4'],
  },
}

/**
 * @param {string} screen
 * @param {{ columns: number, theme: Theme }} options
 * @returns {string}
 */
export function screenSvg(screen, { columns, theme }) {
  const lines = screen.replace(/\n+$/, '').split('\n')
  const width = Math.round(columns * column + 2 * margin)
  const height = lines.length * row + 2 * margin
  const parts = lines.flatMap((line, at) => stretches(line).flatMap(stretch => drawn(stretch, at, theme)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" role="img">`,
    '<title>The terminal screen of a run</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="${theme.background}" stroke="${theme.dim}" stroke-opacity=".4"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n')
}

/**
 * The texts of a line, each with its column and its style; blanks without a background are left out.
 *
 * @param {string} line
 * @returns {{ at: number, text: string, style: Style }[]}
 */
function stretches(line) {
  let style = { ...plain }
  let at = 0
  return line.split(/(\x1b\[[\d;]*m)/).flatMap(part => {
    if (part.startsWith('\x1b')) {
      style = styled(style, part.slice(2, -1).split(';').map(Number))
      return []
    }
    const begin = at
    at += [...part].length
    return part === '' ? [] : [{ at: begin, text: part, style }]
  })
}

/** @param {Style} before @param {number[]} codes @returns {Style} */
function styled(before, codes) {
  const style = { ...before }
  for (const code of codes) {
    if (code === 0) Object.assign(style, plain)
    if (code === 1) style.bold = true
    if (code === 2) style.dim = true
    if (code === 7) style.inverse = true
    if (code >= 30 && code <= 37) style.color = code - 30
    if (code === 39) style.color = -1
    if (code >= 40 && code <= 47) style.under = code - 40
    if (code === 49) style.under = -1
  }
  return style
}

/** @param {{ at: number, text: string, style: Style }} stretch @param {number} line @param {Theme} theme @returns {string[]} */
function drawn({ at, text, style }, line, theme) {
  const x = margin + at * column
  const y = margin + line * row
  const length = [...text].length
  const ink = theme.colors[style.color] ?? (style.dim ? theme.dim : theme.text)
  const paper = theme.colors[style.under] ?? theme.background
  const [front, back] = style.inverse ? [paper, ink] : [ink, paper]
  const box =
    back === theme.background
      ? []
      : [`<rect x="${short(x)}" y="${y}" width="${short(length * column)}" height="${row}" fill="${back}"/>`]
  const words = text.replace(/ +$/, '')
  const lead = words.length - words.trimStart().length
  const shown = [...words.trimStart()]
  if (shown.length === 0) return box
  const bold = style.bold ? ' font-weight="bold"' : ''
  return [
    ...box,
    `<text x="${short(x + lead * column)}" y="${y + 13}" fill="${front}"${bold} textLength="${short(shown.length * column)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(shown.join(''))}</text>`,
  ]
}

/** @param {number} length */
function short(length) {
  return String(Math.round(length * 10) / 10)
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
