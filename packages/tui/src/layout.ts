import { type FileVersions, type OutlineLine, outlineOf, type StreamEntry, type View } from 'weave-client'
import type { Rows } from './model/rows.ts'
import { windowOf } from './model/scroll.ts'
import { createStreamRows, type StreamRows } from './model/stream-rows.ts'
import { isUnfolded, type Scene, type Ui } from './model/ui.ts'
import { type ActivityContext, activityLine } from './panels/activity.ts'
import { budgetRows } from './panels/budgets.ts'
import { footerLine } from './panels/footer.ts'
import { gateRows } from './panels/gates.ts'
import { helpRows, questionRows, textRows } from './panels/help.ts'
import { checkpointRows, checkpointsByKey, createDiffRows, fileRows, sentinelRows } from './panels/lists.ts'
import type { PanelContext } from './panels/panel.ts'
import { planRows, sideOf } from './panels/plan.ts'
import { type StreamPlace, tabsLine, titleLine } from './panels/title.ts'
import { span } from './terminal/line.ts'
import { type Cell, paintRow } from './terminal/paint.ts'
import type { ScreenSize } from './terminal/screen.ts'
import type { Theme } from './terminal/theme.ts'

/** Everything that a page is drawn from. */
export interface PageInput extends Omit<ActivityContext, 'signs' | 'costs' | 'leaving' | 'outline'> {
  readonly view: View
  readonly versions: FileVersions
  readonly ui: Ui
  readonly size: ScreenSize
  readonly theme: Theme
}

/** A page: its rows as they are sent, and what a press is judged by. */
export interface Page {
  readonly rows: readonly string[]
  readonly scene: Scene
}

/** Rows above and below the panel: title, activity, panels; keys. */
const headRows = 3
const footRows = 1
/** From this width on the plan stands beside the other panels. */
const widthForPlan = 100
const planWidths = { least: 36, most: 60 } as const
const smallest = { columns: 24, rows: 7 }

/** A wide screen leaves the plan room for long names. */
function planWidthOf({ columns }: ScreenSize): number {
  return Math.max(planWidths.least, Math.min(planWidths.most, Math.floor(columns * 0.3)))
}

/** Draws pages. Remembers what parts of the last one looked like, nothing else. */
export function createLayout(): (input: PageInput) => Page {
  const streamRows = createStreamRows()
  const diffRows = createDiffRows()
  const outline = createOutline()
  return input => {
    const { view, ui, size, theme, canSteer, ownsRun, now } = input
    const { signs } = theme
    const beside = size.columns >= widthForPlan && ui.panel !== 'plan' ? planWidthOf(size) : 0
    const width = size.columns - (beside === 0 ? 0 : beside + 1)
    const height = Math.max(1, size.rows - headRows - footRows)
    const context: PanelContext = { ...input, outline: outline(view), width, costs: ui.costs, signs }
    const stream = streamRows({
      ...context,
      root: view.server?.agentRootPath,
      stream: view.stream,
      filter: ui.filter,
      isUnfolded: (entry: StreamEntry) => isUnfolded(ui, entry.id),
    })
    const rows = shownRows({ context, ui, stream, canSteer, diffRows })
    const scene = { view, rows, height, stream, checkpoints: checkpointsByKey(view), canSteer, ownsRun, now }
    if (size.columns < smallest.columns || size.rows < smallest.rows)
      return {
        rows: [paintRow([{ column: 0, width: size.columns, line: [span('too small')] }], theme)],
        scene,
      }
    const whole = { ...context, width: size.columns }
    const lines = [
      ...headOf(input, whole, placeIn(stream, input, height)),
      ...bodyOf({ rows, context: { ...context, width: beside }, ui, size: { columns: width, rows: height } }),
    ]
    const foot: Cell[] = [
      { column: 0, width: size.columns, line: footerLine(ui, { canSteer, now, view, ownsRun }) },
    ]
    return { rows: [...lines, foot].map(cells => paintRow(cells, theme)), scene }
  }
}

/** The plan with what became of it, made anew only when something in it may have changed. */
function createOutline(): (view: View) => readonly OutlineLine[] {
  let made: { readonly view: View; readonly outline: readonly OutlineLine[] } | undefined
  return view => {
    const isSame =
      made?.view.machine === view.machine && made.view.plan === view.plan && made.view.loops === view.loops
    made = made && isSame ? { ...made, view } : { view, outline: outlineOf(view) }
    return made.outline
  }
}

function headOf(input: PageInput, context: PanelContext, place: StreamPlace): readonly (readonly Cell[])[] {
  const { ui, canSteer, theme } = input
  const { outline } = context
  const activity = activityLine({
    ...input,
    outline,
    signs: theme.signs,
    costs: ui.costs,
    leaving: ui.leaving,
  })
  return [titleLine(context, { canSteer }), activity, tabsLine(ui, context, place)].map(each => [
    { column: 0, width: context.width, line: each },
  ])
}

/** Where a person stands in the stream: at which match, and how much came since they left its end. */
function placeIn(stream: StreamRows, { ui, atRest }: PageInput, height: number): StreamPlace {
  const { entries, starts, matches } = stream
  const { cursor } = windowOf(stream, ui.places.stream, height)
  const at = cursor === undefined ? undefined : stream.at(cursor)?.key
  const left = ui.leftAt === undefined ? -1 : entries.findLastIndex(({ id }) => id === ui.leftAt)
  return {
    matches: matches.length,
    match: matches.findIndex(index => entries[index]?.id === at) + 1,
    unseen: atRest || ui.places.stream === 'end' ? undefined : left < 0 ? 0 : starts.length - 1 - left,
  }
}

interface Shown {
  readonly context: PanelContext
  readonly ui: Ui
  readonly stream: StreamRows
  readonly canSteer: boolean
  readonly diffRows: ReturnType<typeof createDiffRows>
}

function shownRows({ context, ui, stream, canSteer, diffRows }: Shown): Rows {
  const { layer } = ui
  if (layer?.kind === 'help') return helpRows({ ...context, canSteer })
  if (layer?.kind === 'diff') return diffRows(context.versions, layer.path)
  if (layer?.kind === 'text') return textRows(layer, context.width)
  if (layer?.kind === 'question') return questionRows(layer.question, context.width)
  switch (ui.panel) {
    case 'stream':
      return stream
    case 'plan':
      return planRows(context)
    case 'files':
      return fileRows(context)
    case 'sentinels':
      return sentinelRows(context)
    case 'budgets':
      return budgetRows(context)
    case 'gates':
      return gateRows(context)
    case 'checkpoints':
      return checkpointRows(context)
  }
}

interface Body {
  readonly rows: Rows
  /** Its width is that of the plan at the side; 0: there is none. */
  readonly context: PanelContext
  readonly ui: Ui
  readonly size: ScreenSize
}

function bodyOf({ rows, context, ui, size }: Body): readonly (readonly Cell[])[] {
  const isCovered = ui.layer !== undefined && ui.layer.kind !== 'search'
  const { top, cursor } = windowOf(rows, ui.places[isCovered ? 'layer' : ui.panel], size.rows)
  const side = context.width === 0 ? undefined : sideOf(context, size.rows)
  return Array.from({ length: size.rows }, (_, index) => {
    const row = rows.at(top + index)
    const isCursor = !isCovered && cursor !== undefined && top + index === cursor
    const column = context.width === 0 ? 0 : context.width + 1
    const marked = row && isCursor ? marking(row.line, context.signs.cursor) : (row?.line ?? [])
    const main: Cell = { column, width: size.columns, line: marked }
    return side ? [...(side[index] ?? []), main] : [main]
  })
}

/** The cursor takes the place of the first column, which panels leave free. */
function marking(content: Cell['line'], sign: string): Cell['line'] {
  const [first, ...rest] = content
  return [span(sign, 'accent'), ...(first ? [{ ...first, text: first.text.slice(1) }, ...rest] : [])]
}
