import { describeConfig } from '../../config/describe-config.ts'
import type { Command } from '../command.ts'

export const config: Command = {
  name: 'config',
  summary:
    'Check the configuration and show what is in force and where it comes from, secrets masked.',
  positionals: [],
  options: {},
  run: async (call) => {
    call.world.stdout(describeConfig(call.config))
    return 0
  },
}
