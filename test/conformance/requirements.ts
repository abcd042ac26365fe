import { type Requirement, requirementsOf } from './requirement.ts'
import { acp } from './requirements/acp.ts'
import { agents } from './requirements/agents.ts'
import { atTheTerminal } from './requirements/at-the-terminal.ts'
import { attacks } from './requirements/attacks.ts'
import { authentication } from './requirements/authentication.ts'
import { ci } from './requirements/ci.ts'
import { decisionsAfterTrial } from './requirements/decisions-after-trial.ts'
import { decisionsObserversAndSafety } from './requirements/decisions-observers-and-safety.ts'
import { decisionsOutside } from './requirements/decisions-outside.ts'
import { decisionsRunning } from './requirements/decisions-running.ts'
import { decisionsStateAndWire } from './requirements/decisions-state-and-wire.ts'
import { detach } from './requirements/detach.ts'
import { editor } from './requirements/editor.ts'
import { endpoints } from './requirements/endpoints.ts'
import { errors } from './requirements/errors.ts'
import { events } from './requirements/events.ts'
import { fleet } from './requirements/fleet.ts'
import { fleetLimits } from './requirements/fleet-limits.ts'
import { gates } from './requirements/gates.ts'
import { handbookAndEnvironment } from './requirements/handbook-and-environment.ts'
import { hankFile } from './requirements/hank-file.ts'
import { installAndRelease } from './requirements/install-and-release.ts'
import { invariants } from './requirements/invariants.ts'
import { limitsAndVersions } from './requirements/limits-and-versions.ts'
import { mcp, mcpServers } from './requirements/mcp.ts'
import { notify } from './requirements/notify.ts'
import { otel } from './requirements/otel.ts'
import { page } from './requirements/page.ts'
import { readingARun } from './requirements/reading-a-run.ts'
import { referencesAndModels } from './requirements/references-and-models.ts'
import { repair } from './requirements/repair.ts'
import { rules } from './requirements/rules.ts'
import { screen } from './requirements/screen.ts'
import { settings } from './requirements/settings.ts'
import { states } from './requirements/states.ts'
import { versions } from './requirements/versions.ts'
import { web } from './requirements/web.ts'
import { wireShapes } from './requirements/wire-shapes.ts'

/**
 * The contract as data: every rule that the program promises to keep, one entry each. Tests cite the ids through
 * `verifies`; an id that no test cites fails the build unless `deferred.ts` says why it has to wait.
 */
const tables = {
  ...hankFile,
  ...settings,
  ...referencesAndModels,
  ...wireShapes,
  ...states,
  ...endpoints,
  ...authentication,
  ...events,
  ...errors,
  ...limitsAndVersions,
  ...decisionsOutside,
  ...installAndRelease,
  ...decisionsStateAndWire,
  ...decisionsRunning,
  ...decisionsObserversAndSafety,
  ...decisionsAfterTrial,
  ...invariants,
  ...fleet,
  ...fleetLimits,
  ...attacks,
  ...atTheTerminal,
  ...screen,
  ...repair,
  ...readingARun,
  ...handbookAndEnvironment,
  ...ci,
  ...otel,
  ...acp,
  ...editor,
  ...detach,
  ...mcp,
  ...mcpServers,
  ...notify,
  ...rules,
  ...gates,
  ...agents,
  ...versions,
  ...web,
  ...page,
} as const

export type RequirementId = keyof typeof tables

export const requirements: readonly (Requirement & { readonly id: RequirementId })[] = requirementsOf(
  tables,
).map(requirement => ({ ...requirement, id: requirement.id as RequirementId }))
