import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import { change } from '../../changes/change.ts'
import type {
  UpstreamModelsAnswer,
  UpstreamProblemRow,
  UpstreamTestAnswer,
} from '../../contract.ts'
import type { ProblemReading } from '../../ports/gateway-ports.ts'
import { ApiRefusal, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'

/** Sends one small request per credential and protocol. It may cost money, so the audit log records it. */
export async function testUpstreamNow(
  call: CallOf<'POST /operate/upstreams/{id}/test'>,
): Promise<JsonAnswer<UpstreamTestAnswer>> {
  const { deps, id } = call
  const { protocol, model: requested } = await call.body()
  await needUpstreamRow(call)
  const upstreamModel = requested ?? (await firstModel(call))
  if (upstreamModel === undefined) {
    throw unfitField('model', 'model_needed')
  }
  call.throttle.countTest('testRequests', call.session.userId)
  await change(call, ({ record }) =>
    record({ action: 'upstream.tested', subject: id, after: { model: upstreamModel, protocol } }),
  )
  const trials = await deps.gateway.tryUpstream(id, { upstreamModel, protocol })
  return {
    body: {
      model: upstreamModel,
      results: trials.flatMap((trial) => {
        const protocol = protocolNames.find((each) => each === trial.protocol)
        if (!protocol) return []
        return [
          {
            protocol,
            credential: trial.credential ?? null,
            hasPassed: trial.status === 200 && trial.problem === undefined,
            status: trial.status ?? null,
            text: trial.text ?? null,
            problem: describeProblem(trial.problem),
            totalMs: trial.totalMs,
            inputTokens: trial.inputTokens ?? null,
            outputTokens: trial.outputTokens ?? null,
            costNano: trial.costNano === undefined ? null : String(trial.costNano),
          },
        ]
      }),
    },
  }
}

export async function readUpstreamModels(
  call: SignedInCall,
): Promise<JsonAnswer<UpstreamModelsAnswer>> {
  await needUpstreamRow(call)
  const reading = await call.deps.gateway.upstreamModels(call.id)
  return { body: { models: reading?.models ?? null, problem: describeProblem(reading?.problem) } }
}

function describeProblem(problem: ProblemReading | undefined): UpstreamProblemRow | null {
  return problem ? { code: problem.code, text: problem.text, words: problem.words ?? null } : null
}

async function needUpstreamRow({ deps, id }: SignedInCall): Promise<void> {
  const row = await deps.engine.db
    .selectFrom('upstream')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw new ApiRefusal('not_found', 'This upstream does not exist.')
}

async function firstModel({ deps, id }: SignedInCall): Promise<string | undefined> {
  const row = await deps.engine.db
    .selectFrom('route')
    .select('upstream_model')
    .where('upstream_id', '=', id)
    .orderBy('group_id')
    .orderBy('model_id')
    .limit(1)
    .executeTakeFirst()
  return row?.upstream_model
}
