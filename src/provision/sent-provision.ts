import { ConfigProblem } from '../config/config-problem.ts'
import { pathText } from '../config/explain-issue.ts'
import type { Provision } from '../config/provision.ts'
import { type ProvisionVendor, readingSteps } from '../config/read-provision.ts'
import { sentSecrets } from '../config/secret-reader.ts'
import { turns } from '../core/turns.ts'
import type { Engine } from '../store/engine.ts'
import { write } from '../store/write.ts'
import type { Applied } from './applied.ts'
import { prepareProvision } from './apply-provision.ts'
import type { ProvisionTools } from './provision-tools.ts'

/** So many entries are read in one turn of the event loop. */
const entriesATurn = 10
/** To hash a password takes a good part of a second of a core, and they are hashed one after the other. */
const passwordsMax = 50
/** Of all lists together, and ways from a group and a model to an upstream. */
const entriesMax = 10_000
const routesMax = 20_000

/**
 * A document that was sent, read as the file is. It names no file and no variable of the gateway: those are not the
 * sender's.
 */
export async function readSentProvision(
  document: unknown,
  vendors: ReadonlyMap<string, ProvisionVendor>,
): Promise<Provision> {
  const file = {
    path: 'the document',
    value: document,
    whereIs: (path: readonly PropertyKey[]) => pathText(path),
    isSent: true,
  } as const
  checkLength(document)
  const steps = readingSteps({ file, root: [], written: document }, vendors, {
    secrets: sentSecrets,
    readFile: undefined,
  })
  for (let count = 1; ; count += 1) {
    const step = steps.next()
    if (step.done) {
      checkPasswords(step.value)
      checkRoutes(step.value)
      return step.value
    }
    if (count % entriesATurn === 0) await turns.next()
  }
}

/** Before any of it is read. */
function checkLength(document: unknown): void {
  const lists = typeof document === 'object' && document !== null ? Object.values(document) : []
  const sizes = lists.map((list: unknown) => (Array.isArray(list) ? list.length : 0))
  if (sizes.reduce((sum, size) => sum + size, 0) <= entriesMax) return
  throw new ConfigProblem(
    `the document has more than ${entriesMax} entries; send them in several documents.`,
  )
}

function checkRoutes({ upstreams }: Provision): void {
  const routes = upstreams.flatMap(({ groups, models }) =>
    models.map((route) => (route.groups ?? groups).length),
  )
  if (routes.reduce((sum, count) => sum + count, 0) <= routesMax) return
  throw new ConfigProblem(
    `upstreams makes more than ${routesMax} routes; send the upstreams in several documents.`,
    { place: 'upstreams' },
  )
}

function checkPasswords({ users }: Provision): void {
  if (users.filter(({ password }) => password !== undefined).length <= passwordsMax) return
  throw new ConfigProblem(
    `users has more than ${passwordsMax} passwords; send them in several documents.`,
    { place: 'users' },
  )
}

export interface SentRequest {
  /** Who sends it, for the audit log. */
  readonly actor: string
  /** Tells what would change, and changes nothing. */
  readonly isDryRun: boolean
}

/** Applies what was sent, or tells what that would do. */
export async function applySent(
  engine: Engine,
  tools: ProvisionTools,
  provision: Provision,
  { actor, isDryRun }: SentRequest,
): Promise<Applied> {
  const apply = await prepareProvision(engine, tools, provision, actor)
  try {
    return await write(engine, tools.nowMs(), async (writing) => {
      const applied = await apply(writing)
      if (isDryRun) throw new TakenBack(applied)
      return applied
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.applied
    throw error
  }
}

/** Ends the transaction without a trace. */
class TakenBack extends Error {
  override readonly name = 'TakenBack'
  readonly applied: Applied

  constructor(applied: Applied) {
    super('nothing is to be changed')
    this.applied = applied
  }
}
