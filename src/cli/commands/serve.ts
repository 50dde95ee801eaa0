import type { Command } from '../command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Start the gateway; Ctrl-C drains and stops it.',
  positionals: [],
  options: {},
  onlyHere:
    '"tollgate serve" starts a gateway on this machine, so it takes no --url; run it where the gateway is to be.',
  run: ({ world, config }) => world.serve(config),
}
