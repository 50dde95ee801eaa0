import { useNavigate, useSearch } from '@tanstack/react-router'
import { cleanSearch } from '../routes/clean-search.ts'
import { TokenList } from './token-list.tsx'

/** Tokens of the accounts that the user owns, or of the selected account. */
export function TokensPage() {
  const search = useSearch({ from: '/shell/tokens' })
  const navigate = useNavigate({ from: '/tokens' })
  return (
    <TokenList
      account={search.account}
      opened={search.token}
      onOpen={(token) => void navigate({ search: (old) => cleanSearch({ ...old, token }) })}
    />
  )
}

/** All tokens, or those of the selected account; for administrators. */
export function AllTokensPage() {
  const search = useSearch({ from: '/shell/operate/tokens' })
  const navigate = useNavigate({ from: '/operate/tokens' })
  return (
    <TokenList
      account={search.account}
      opened={search.token}
      onOpen={(token) => void navigate({ search: (old) => cleanSearch({ ...old, token }) })}
    />
  )
}
