import { readCatalog } from '../../catalog/read-catalog.ts'
import { nearestName } from '../../config/nearest-name.ts'
import { asFault } from '../../core/fault.ts'
import { formatDollars } from '../../core/money.ts'
import { protocolNames } from '../../core/protocol-name.ts'
import { wordKind } from '../../fields/kind.ts'
import { idKind } from '../../fields/kinds.ts'
import { testUpstream, type UpstreamTest } from '../../gateway/test-upstream.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import type { Command } from '../command.ts'
import { readOption, readTyped } from '../read-typed.ts'
import { withDatabase } from '../with-database.ts'

const protocolKind = wordKind(protocolNames)

export const upstreamsTest: Command = {
  name: 'upstreams test',
  summary:
    'Send an upstream one small request with each credential in each protocol; charged to no account.',
  positionals: ['ID'],
  options: {
    model: {
      kind: 'text',
      placeholder: 'NAME',
      description: 'The upstream’s own name of the model; left out: of its first route.',
    },
    protocol: {
      kind: 'text',
      placeholder: 'NAME',
      description: 'Only this one; left out: all that it is spoken to in.',
    },
    json: { kind: 'switch', description: 'As JSON.' },
  },
  run: async (call) => {
    const [typed = ''] = call.positionals
    const id = readTyped('The id', idKind, typed)
    const protocol = readOption(call, 'protocol', protocolKind)
    return withDatabase(call, async ({ engine, vault }) => {
      const catalog = await readCatalog(engine, vault, undefined)
      if (!catalog.upstreams.has(id)) throw unknown(id, [...catalog.upstreams.keys()])
      const { nowMs, send } = call.world
      const wish = { upstreamModel: call.text('model'), protocol }
      const tests = await testUpstream(catalog, id, wish, {
        send,
        clock: { nowMs, monotonicMs: () => performance.now() },
      }).catch((error: unknown) => {
        throw new CommandProblem(asFault(error).message)
      })
      const text = call.isOn('json') ? asJson(tests) : asText(id, tests)
      call.world.stdout(`${text}\n`)
      return tests.length > 0 && tests.every(({ problem }) => problem === undefined) ? 0 : 1
    })
  },
}

function unknown(id: string, known: readonly string[]): CommandProblem {
  const nearest = nearestName(id, known)
  const hint =
    nearest === undefined ? 'see "tollgate upstreams list".' : `did you mean "${nearest}"?`
  return new CommandProblem(`There is no upstream "${id}" that this command can reach; ${hint}`)
}

function asJson(tests: readonly UpstreamTest[]): string {
  const rows = tests.map(({ costNano, problem, ...test }) => ({
    ...test,
    problem: problem?.text,
    problemCode: problem?.code,
    cost: costNano === undefined ? undefined : formatDollars(costNano),
  }))
  return JSON.stringify(rows, null, 2)
}

function asText(id: string, tests: readonly UpstreamTest[]): string {
  if (tests.length === 0) return `The upstream ${id} is not spoken to in that protocol.`
  return tests.map(describe).join('\n')
}

function describe(test: UpstreamTest): string {
  const shown = test.credential === undefined ? '' : ` with ${test.credential}`
  const head = `${test.problem === undefined ? 'ok  ' : 'fail'} ${test.protocol} ${test.model}${shown}`
  const facts = [
    ...(test.status === undefined ? [] : [`HTTP ${test.status}`]),
    `${test.totalMs} ms`,
    ...(test.inputTokens === undefined
      ? []
      : [`${test.inputTokens} tokens in, ${test.outputTokens ?? 0} out`]),
    ...(test.costNano === undefined ? [] : [`worth ${formatDollars(test.costNano)} US$`]),
  ]
  const said = test.problem?.text ?? JSON.stringify(test.text ?? '')
  return `${head} (${facts.join(', ')})\n     ${said}`
}
