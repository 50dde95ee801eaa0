/** argon2id with the defaults of the runtime; slow on purpose, and off the main thread. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id' })
}

export function isPasswordOf(password: string, hash: string): Promise<boolean> {
  return Bun.password.verify(password, hash)
}
