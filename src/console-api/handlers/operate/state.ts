import type { AnswerOf } from '../../contract/operations/operations.ts'
import { stateProblemTexts } from '../../contract/refusal-texts.ts'
import type { AppliedReading, StatePort } from '../../ports/gateway-ports.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, ReadyAnswer } from '../../routes/route.ts'
import { confirmFromNanoOf, unconfirmed } from './change-money.ts'

const contentTypes = { json: 'application/json', yaml: 'application/yaml' } as const

/** Exports the whole state as a document, or as a config file. */
export async function exportState(call: CallOf<'GET /operate/provision'>): Promise<ReadyAnswer> {
  const { format = 'json' } = call.query
  const giveBack = call.exports.begin(call.session.userId)
  if (!giveBack) throw busy('exports_busy')
  try {
    const text = await call.deps.gateway.state.exportText(format)
    if (text === undefined) throw busy('state_moving')
    const headers = {
      'content-type': contentTypes[format],
      'cache-control': 'no-store',
      ...(format === 'yaml' && {
        'content-disposition': 'attachment; filename="provision.yaml"',
      }),
    }
    return { response: new Response(text, { headers }) }
  } finally {
    giveBack()
  }
}

function busy(detail: 'exports_busy' | 'state_moving' | 'apply_busy'): ApiRefusal {
  const headers = { 'retry-after': '10' }
  return new ApiRefusal('unavailable', stateProblemTexts[detail], { detail, headers })
}

/** Ports that are applying a document: one at a time, because applying blocks every other change. */
const applying = new WeakSet<StatePort>()

/** Creates or changes what the document names; a dry run only tells what would change. */
export async function applyState(
  call: CallOf<'POST /operate/provision'>,
): Promise<JsonAnswer<AnswerOf<'POST /operate/provision'>>> {
  const { state } = call.deps.gateway
  const document = await call.body()
  if (applying.has(state)) throw busy('apply_busy')
  applying.add(state)
  try {
    const isDryRun = call.query.dryRun ?? false
    const { session, recheck } = call
    const confirmFromNano = confirmFromNanoOf(call.deps)
    // A dry run grants nothing.
    const grants = call.query.confirm === true || isDryRun ? 'confirmed' : { confirmFromNano }
    const sent = { actor: session.userId, isDryRun, grants, recheck } as const
    const reading = await state.apply(document, sent)
    if ('wrong' in reading) throw wrongDocument(reading)
    if ('unconfirmedNano' in reading)
      throw unconfirmed(call.deps, reading.place ?? 'accounts', reading.unconfirmedNano)
    await call.deps.gateway.catchUp()
    return { body: { isDryRun, ...reading } }
  } finally {
    applying.delete(state)
  }
}

function wrongDocument({ wrong, place }: Extract<AppliedReading, { wrong: string }>): ApiRefusal {
  return refuse('unprocessable', 'document_wrong', {
    values: { why: wrong },
    ...(place !== undefined && { field: place }),
  })
}
