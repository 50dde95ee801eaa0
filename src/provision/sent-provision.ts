import { ConfigProblem } from '../config/config-problem.ts'
import { pathText } from '../config/explain-issue.ts'
import type { Provision } from '../config/provision.ts'
import { readingSteps, type VendorFacts } from '../config/read-provision.ts'
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

/**
 * A document that was sent, read as the file is. It names no file and no variable of the gateway: those are not the
 * sender's.
 */
export async function readSentProvision(
  document: unknown,
  vendors: ReadonlyMap<string, VendorFacts>,
): Promise<Provision> {
  const file = {
    path: 'the document',
    value: document,
    whereIs: (path: readonly PropertyKey[]) => pathText(path),
    isSent: true,
  } as const
  const steps = readingSteps({ file, root: [], written: document }, vendors, {
    secrets: sentSecrets,
    readFile: undefined,
  })
  for (let count = 1; ; count += 1) {
    const step = steps.next()
    if (step.done) {
      checkPasswords(step.value)
      return step.value
    }
    if (count % entriesATurn === 0) await turns.next()
  }
}

function checkPasswords({ users }: Provision): void {
  if (users.filter(({ password }) => password !== undefined).length <= passwordsMax) return
  throw new ConfigProblem(
    `users has more than ${passwordsMax} passwords; send them in several documents.`,
    { place: 'users' },
  )
}

export interface SentWish {
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
  { actor, isDryRun }: SentWish,
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
