import uPlot from 'uplot'
import { durationText, type Series } from 'weave-client'

/** Loaded with its library when somebody looks at a plot. */
export interface PlotOptions {
  readonly series: Series
  readonly limits: readonly number[]
  readonly text: (value: number) => string
}

const high = 190

/** Draws steps into a place and follows its width; returns how to take it away. */
export function drawPlot(holder: HTMLElement, { series, limits, text }: PlotOptions): () => void {
  const colours = coloursOf(holder)
  const xs = series.points.map(([ms]) => ms / 1_000)
  const ys = series.points.map(([, , value]) => value)
  const most = Math.max(...ys, 0)
  // A limit far above what was used would press the curve flat: it is said in the table.
  const inSight = limits.filter(limit => limit <= most * 4)
  const top = Math.max(most, ...inSight) * 1.08 || 1
  const stepped = uPlot.paths.stepped?.({ align: 1 })
  const plot = new uPlot(
    {
      width: holder.clientWidth || 320,
      height: high,
      cursor: { y: false },
      legend: { show: false },
      scales: { x: { time: false }, y: { range: [0, top] } },
      axes: [
        {
          stroke: colours.quiet,
          grid: { show: false },
          ticks: { show: false },
          values: (_, ticks) => ticks.map(tick => durationText(tick * 1_000)),
          space: 90,
          size: 26,
          font: colours.font,
        },
        {
          stroke: colours.quiet,
          grid: { stroke: colours.line, width: 1 },
          ticks: { show: false },
          values: (_, ticks) => ticks.map(text),
          size: 62,
          space: 40,
          font: colours.font,
        },
      ],
      series: [
        {},
        {
          stroke: colours.accent,
          width: 1.6,
          fill: colours.soft,
          points: { show: false },
          ...(stepped ? { paths: stepped } : {}),
        },
      ],
      hooks: { draw: [drawn => drawMarks(drawn, { inSight, series, colours })] },
    },
    [xs, ys],
    holder,
  )
  const observer = new ResizeObserver(() => plot.setSize({ width: holder.clientWidth, height: high }))
  observer.observe(holder)
  return () => {
    observer.disconnect()
    plot.destroy()
  }
}

interface Marks {
  readonly inSight: readonly number[]
  readonly series: Series
  readonly colours: Colours
}

/** Limits as dashed lines, breaches as crosses. */
function drawMarks(plot: uPlot, { inSight, series, colours }: Marks): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = colours.bad
  ctx.lineWidth = devicePixelRatio
  for (const limit of inSight) {
    const y = plot.valToPos(limit, 'y', true)
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio])
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
  }
  ctx.setLineDash([])
  ctx.lineWidth = 2 * devicePixelRatio
  for (const { activeMs, used } of series.breaches) {
    const x = plot.valToPos(activeMs / 1_000, 'x', true)
    const y = Math.max(bbox.top, plot.valToPos(used, 'y', true))
    const arm = 4 * devicePixelRatio
    ctx.beginPath()
    ctx.moveTo(x - arm, y - arm)
    ctx.lineTo(x + arm, y + arm)
    ctx.moveTo(x + arm, y - arm)
    ctx.lineTo(x - arm, y + arm)
    ctx.stroke()
  }
  ctx.restore()
}

type Colours = ReturnType<typeof coloursOf>

function coloursOf(holder: HTMLElement) {
  const value = (name: string): string => resolved(holder, `var(${name})`)
  return {
    quiet: value('--quiet'),
    line: value('--line'),
    accent: value('--accent'),
    soft: value('--accent-soft'),
    bad: value('--bad'),
    font: `11px ${getComputedStyle(holder).fontFamily}`,
  }
}

/** A colour as a drawing takes it: which of two it is depends on the theme. */
function resolved(holder: HTMLElement, colour: string): string {
  holder.style.setProperty('color', colour)
  const { color } = getComputedStyle(holder)
  holder.style.removeProperty('color')
  return color
}
