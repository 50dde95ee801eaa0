import { Box, Text } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { useTranslation } from 'react-i18next'
import type { TokenRow } from '../../../src/console-api/contract.ts'
import { formatAgo, formatDay } from '../format/times.ts'
import { RowName } from '../operator/parts/row-name.tsx'
import { fromMedium, fromSmall } from '../parts/lists/media.ts'
import { ScopeBadges } from './scope-badges.tsx'
import { TokenStateBadge } from './token-state-badge.tsx'
import { useCreatorText } from './use-creator-text.ts'

export function useTokenColumns(props: {
  onOpen: (token: TokenRow) => void
  /** Absent if all rows belong to one account. */
  accountName: ((id: string) => string) | undefined
}): DataTableColumn<TokenRow>[] {
  const { t, i18n } = useTranslation()
  const creatorText = useCreatorText()
  const { onOpen, accountName } = props
  const account = (id: string | null) =>
    id === null ? t('tokens.wholeGateway') : (accountName?.(id) ?? id)
  return [
    {
      accessor: 'name',
      title: t('tokens.name'),
      render: (token) => (
        <>
          <RowName
            name={token.name}
            note={<span className="monospace">{token.hint}</span>}
            label={t('tokens.open', { name: token.name })}
            onOpen={() => onOpen(token)}
          />
          <Box hiddenFrom="sm" mt={4}>
            {accountName && (
              <Text size="xs" c="dimmed" mb={4}>
                {account(token.accountId)}
              </Text>
            )}
            <TokenStateBadge state={token.state} />
          </Box>
        </>
      ),
    },
    {
      accessor: 'state',
      title: t('tokens.state'),
      visibleMediaQuery: fromSmall,
      render: ({ state }) => <TokenStateBadge state={state} />,
    },
    {
      accessor: 'scopes',
      title: t('tokens.scopes'),
      render: ({ scopes }) => <ScopeBadges scopes={scopes} />,
    },
    {
      accessor: 'accountId',
      title: t('tokens.account'),
      visibleMediaQuery: fromSmall,
      hidden: accountName === undefined,
      render: ({ accountId }) => (
        <Box miw={108}>
          <CellText text={account(accountId)} />
        </Box>
      ),
    },
    {
      accessor: 'usedAt',
      title: t('tokens.lastUsed'),
      visibleMediaQuery: fromSmall,
      render: ({ usedAt, usedAddress }) => (
        <Box miw={90}>
          {usedAt === null ? (
            <CellText text={t('tokens.neverUsed')} isDimmed />
          ) : (
            <>
              <CellText text={formatAgo(usedAt, i18n.language)} />
              <Text size="xs" c="dimmed" className="monospace" style={{ overflowWrap: 'anywhere' }}>
                {usedAddress}
              </Text>
            </>
          )}
        </Box>
      ),
    },
    {
      accessor: 'createdAt',
      title: t('tokens.created'),
      visibleMediaQuery: fromMedium,
      render: (token) => (
        <Box miw={136}>
          <CellText text={formatDay(token.createdAt, i18n.language)} />
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {creatorText(token)}
          </Text>
        </Box>
      ),
    },
    {
      accessor: 'expiresAt',
      title: t('tokens.expires'),
      visibleMediaQuery: fromMedium,
      noWrap: true,
      render: ({ expiresAt }) =>
        expiresAt === null ? (
          <CellText text={t('tokens.never')} isDimmed />
        ) : (
          <CellText text={formatDay(expiresAt, i18n.language)} />
        ),
    },
  ]
}

function CellText({ text, isDimmed = false }: { text: string; isDimmed?: boolean }) {
  return (
    <Text
      size="sm"
      className="sentence"
      style={{ overflowWrap: 'anywhere' }}
      {...(isDimmed && { c: 'dimmed' })}
    >
      {text}
    </Text>
  )
}
