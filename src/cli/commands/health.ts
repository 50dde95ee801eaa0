import { CommandProblem } from '../../app/command-problem.ts'
import { stopOn } from '../../http-out/stop-switch.ts'
import type { Command } from '../command.ts'
import { UsageProblem } from '../usage-problem.ts'

const answerMs = 5_000
const answerBytesMax = 4_096

/** Addresses that mean every interface, and where a process of the same machine reaches them. */
const loopbacks: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
])

export const health: Command = {
  name: 'health',
  summary: 'Ask the gateway on this machine whether it accepts requests; exit code 0 means yes.',
  positionals: [],
  options: {},
  onlyHere:
    '"tollgate health" asks the gateway on this machine, so --url does not apply; request /readyz of a remote gateway instead.',
  run: async ({ config, context }) => {
    const { hostname, port } = config.listen
    if (port === 0) {
      throw new UsageProblem(
        'With port 0 this command does not know the address of the gateway; name it with --listen.',
      )
    }
    const host = loopbacks.get(hostname) ?? (hostname.includes(':') ? `[${hostname}]` : hostname)
    const url = `http://${host}:${port}/readyz`
    const stop = stopOn(AbortSignal.timeout(answerMs))
    const connection = { proxy: undefined, ca: undefined, allowsPrivate: true }
    try {
      const asked = { method: 'GET', url, headers: new Headers(), body: undefined } as const
      const reply = await context.send({ ...asked, stop, connection })
      const text = new TextDecoder().decode(await reply.body.readWhole(answerBytesMax)).trim()
      context.stdout(`${text}\n`)
      return reply.status === 200 ? 0 : 1
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandProblem(`The gateway at ${url} does not answer: ${reason}.`, {
        cause: error,
      })
    }
  },
}
