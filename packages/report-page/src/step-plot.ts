import { drawing, element } from './element.ts'

export interface StepPlot {
  readonly title: string
  /** In order of `x`, which begins at 0; each value holds until the next. */
  readonly points: readonly (readonly [x: number, y: number])[]
  readonly xText: (x: number) => string
  readonly yText: (y: number) => string
}

const wide = 600
const high = 180
const lines = 4

/** A sum that grows, as an area with steps. The drawing stretches; its words are outside of it and do not. */
export function stepPlot({ title, points, xText, yText }: StepPlot): HTMLElement {
  const lastX = Math.max(1, points.at(-1)?.[0] ?? 0)
  const top = roundedUp(Math.max(...points.map(([, y]) => y), 0))
  const place = ([x, y]: readonly [number, number]) =>
    [((wide * x) / lastX).toFixed(1), (high - (high * y) / top).toFixed(1)] as const
  const steps = points.map(place).map(([x, y]) => `H${x}V${y}`)
  const path = `M0 ${high}${steps.join('')}H${wide}`
  const grid = Array.from({ length: lines + 1 }, (_, at) => {
    const y = (high * at) / lines
    return drawing('line', { class: 'grid', x1: 0, x2: wide, y1: y, y2: y })
  })
  const labels = Array.from({ length: lines + 1 }, (_, at) =>
    element('span', {}, [yText(top * (1 - at / lines))]),
  )
  return element('figure', { class: 'plot' }, [
    element('figcaption', {}, [title]),
    element('div', { class: 'plot-body' }, [
      element('div', { class: 'plot-y', 'aria-hidden': 'true' }, labels),
      drawing(
        'svg',
        { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title },
        [
          ...grid,
          drawing('path', { class: 'area', d: `${path}V${high}Z` }),
          drawing('path', { class: 'stroke', d: path }),
        ],
      ),
    ]),
    element('div', { class: 'plot-x', 'aria-hidden': 'true' }, [
      element('span', {}, [xText(0)]),
      element('span', {}, [xText(lastX / 2)]),
      element('span', {}, [xText(lastX)]),
    ]),
  ])
}

/** The next of a few round multiples of a power of ten: what an axis may end with. */
function roundedUp(value: number): number {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const steps = [1, 2, 3, 4, 5, 6, 8, 10].map(step => step * power)
  return steps.find(step => step >= value * (1 - 1e-9)) ?? 10 * power
}
