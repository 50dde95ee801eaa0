import { useTranslation } from 'react-i18next'
import type { UserRow } from '../../../../src/console-api/contract.ts'
import { formatList } from '../../format/lists.ts'

/**
 * How a user signs in: with a password and perhaps the app, with passkeys, at the provider, or with a link only. If only
 * the provider counts, nothing else is listed.
 */
export function SignInMethods({ user }: { user: UserRow }) {
  const { t, i18n } = useTranslation()
  const { hasPassword, hasTotp, passkeys, hasOpenId } = user
  if (user.isOpenIdOnly) return t('people.openId')
  const password = hasTotp ? `${t('people.password')} + ${t('people.app')}` : t('people.password')
  const ways = [
    ...(hasPassword ? [password] : []),
    ...(passkeys > 0 ? [t('people.passkey')] : []),
    ...(hasOpenId ? [t('people.openId')] : []),
  ]
  return ways.length === 0 ? t('people.noPassword') : formatList(ways, i18n.language)
}
