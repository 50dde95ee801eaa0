import { readToken, revokeToken } from '../../admin-tokens/token-store.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../with-database.ts'

export const tokensRevoke: Command = {
  name: 'tokens revoke',
  summary: 'End a token of the admin API, and the tokens that were made with it.',
  positionals: ['ID'],
  options: {},
  run: (call) =>
    withDatabase(call, async ({ engine }) => {
      const [id = ''] = call.positionals
      const at = call.world.nowMs()
      const revoked = await write(engine, at, async (writing) => {
        if (!(await readToken(writing.tx, id))) {
          throw new CommandProblem(`There is no token "${id}"; see "tollgate tokens list".`)
        }
        const ids = await revokeToken(writing, id, at)
        for (const subject of ids) {
          await recordAudit(writing, { at, actor: cliActor, action: 'token.revoked', subject })
        }
        return ids
      })
      const others = revoked.filter((each) => each !== id)
      const word = revoked.includes(id) ? 'is revoked' : 'was revoked already'
      const also = others.length === 0 ? '' : `, and with it ${others.join(', ')}`
      call.world.stdout(`token ${id} ${word}${also}\n`)
      return 0
    }),
}
