import { describeApplied } from '../../provision/applied.ts'
import { applyProvision } from '../../provision/apply-provision.ts'
import { hashPassword, isPasswordOf } from '../../store/password.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../with-database.ts'

export const apply: Command = {
  name: 'apply',
  summary: 'Make what the config file provisions exist; what it does not name is left alone.',
  positionals: [],
  options: {},
  run: (call) =>
    withDatabase(call, async ({ engine, vault }) => {
      const { nowMs, random, stdout, stderr } = call.world
      const tools = { vault, random, nowMs, hashPassword, isPasswordOf }
      const applied = await applyProvision(engine, tools, call.config.provision)
      for (const warning of applied.warnings) stderr(`tollgate: ${warning}\n`)
      stdout(`${describeApplied(applied)}\n`)
      return 0
    }),
}
