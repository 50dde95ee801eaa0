import { CommandProblem } from '../serve/command-problem.ts'

/** Said of an account that a command needs and that does not exist. */
export function noAccount(id: string): CommandProblem {
  return new CommandProblem(
    `There is no account "${id}"; make it with "tollgate accounts create ${id}".`,
  )
}

export function noKey(id: string): CommandProblem {
  return new CommandProblem(`There is no key "${id}"; see "tollgate keys list".`)
}
