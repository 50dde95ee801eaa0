import { nearestName } from '../../config/nearest-name.ts'
import type { UpstreamTestAnswer, UpstreamTestResult } from '../../console-api/contract.ts'
import { dollarText } from '../../core/money/money.ts'
import { protocolNames } from '../../core/neutral/protocol-name.ts'
import { plural } from '../../core/text/plural.ts'
import { enumKind } from '../../fields/kind.ts'
import { idKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import {
  type GatewayClient,
  GatewayRefusal,
  isRefusedAs,
  rewordRefusal,
} from '../gateway/gateway-client.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { readOption, readTyped } from '../read-typed.ts'

const protocolKind = enumKind(protocolNames)

export const upstreamsTest: Command = {
  name: 'upstreams test',
  summary:
    'Send one small request to an upstream with each credential in each protocol; no account is charged.',
  example: 'one --model gpt-x',
  positionals: ['ID'],
  options: {
    model: {
      kind: 'text',
      placeholder: 'NAME',
      description: 'The upstream’s name of the model. Default: the model of its first route.',
    },
    protocol: {
      kind: 'text',
      placeholder: 'NAME',
      description: 'Test only this protocol. Default: all protocols of the upstream.',
    },
    json: { kind: 'switch', description: 'Print JSON.' },
  },
  run: async (call) => {
    const [typed = ''] = call.positionals
    const id = readTyped('The id', idKind, typed)
    const protocol = readOption(call, 'protocol', protocolKind)
    const model = call.text('model')
    return withGateway(call, async (gateway) => {
      const test = await gateway
        .call('POST /operate/upstreams/{id}/test', {
          id,
          body: {
            ...(model !== undefined && { model }),
            ...(protocol !== undefined && { protocol }),
          },
          isLong: true,
          ifLost: 'It is safe to repeat the command; the upstream may charge for each test.',
        })
        .catch((error: unknown) => explainUnknown(gateway, id, error))
        .catch(
          rewordRefusal({
            model_needed: `The upstream "${id}" serves no model; name one with --model.`,
          }),
        )
      call.context.stdout(`${call.isOn('json') ? asJson(test) : asText(id, test)}\n`)
      const { results } = test
      return results.length > 0 && results.every(({ problem }) => problem === null) ? 0 : 1
    })
  },
}

async function explainUnknown(gateway: GatewayClient, id: string, error: unknown): Promise<never> {
  if (!isRefusedAs(error, 'not_found')) throw error
  const known: string[] = []
  const read = (after: string | undefined) =>
    gateway.call('GET /operate/upstreams', { query: { after } })
  for await (const { upstreams } of pagesOf(read)) known.push(...upstreams.map((each) => each.id))
  const nearest = nearestName(id, known)
  const hint =
    nearest === undefined ? 'see "tollgate upstreams list".' : `did you mean "${nearest}"?`
  const sentence = `There is no upstream "${id}" that this command can reach; ${hint}`
  throw new GatewayRefusal(sentence, error)
}

function asJson({ model, results }: UpstreamTestAnswer): string {
  const rows = results.map(({ problem, ...result }) => ({
    protocol: result.protocol,
    model,
    credential: result.credential ?? undefined,
    status: result.status ?? undefined,
    text: result.text ?? undefined,
    totalMs: result.totalMs,
    inputTokens: result.inputTokens ?? undefined,
    outputTokens: result.outputTokens ?? undefined,
    problem: problem?.text,
    problemCode: problem?.code,
    cost: costOf(result),
  }))
  return JSON.stringify(rows, null, 2)
}

function asText(id: string, { model, results }: UpstreamTestAnswer): string {
  if (results.length === 0) return `The upstream ${id} does not use that protocol.`
  return results.map((result) => describe(model, result)).join('\n')
}

function describe(model: string, test: UpstreamTestResult): string {
  const shown = test.credential === null ? '' : ` with ${test.credential}`
  const head = `${test.problem === null ? 'ok  ' : 'fail'} ${test.protocol} ${model}${shown}`
  const cost = costOf(test)
  const facts = [
    ...(test.status === null ? [] : [`HTTP ${test.status}`]),
    `${test.totalMs} ms`,
    ...(test.inputTokens === null
      ? []
      : [`${plural(test.inputTokens, 'token')} in, ${test.outputTokens ?? 0} out`]),
    ...(cost === undefined ? [] : [`worth ${cost}`]),
  ]
  const answer = test.problem?.text ?? JSON.stringify(test.text ?? '')
  return `${head} (${facts.join(', ')})\n     ${answer}`
}

function costOf({ costNano }: Pick<UpstreamTestResult, 'costNano'>): string | undefined {
  return costNano === null ? undefined : dollarText(BigInt(costNano))
}
