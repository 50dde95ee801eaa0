import type { Command } from '../command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Start the gateway; Ctrl-C drains and stops it.',
  positionals: [],
  options: {},
  run: ({ world, config }) => world.serve(config),
}
