import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ModelGaps } from '../../../../src/console-api/contract.ts'
import { formatRecent } from '../../format/times.ts'
import { IconMoodSmile } from '../../icons/icons.ts'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromSmall } from '../../parts/lists/media.ts'

/** Models that clients requested but that are not available. */
export function MissedModels(props: {
  missed: ModelGaps['missed'] | undefined
  onAdd: (model: string) => void
}) {
  const { t, i18n } = useTranslation()
  return (
    <ListTable
      rows={props.missed}
      idOf={(row) => row.model}
      columns={[
        {
          accessor: 'model',
          title: t('catalog.model'),
          render: ({ model }) => (
            <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {model}
            </Text>
          ),
        },
        {
          accessor: 'requests',
          title: t('catalog.requests'),
          textAlign: 'right',
          render: ({ requests }) => (
            <span className="figures">{requests.toLocaleString('en-US')}</span>
          ),
        },
        {
          accessor: 'lastAt',
          title: t('catalog.lastAt'),
          visibleMediaQuery: fromSmall,
          render: ({ lastAt }) => formatRecent(lastAt, i18n.language),
        },
        {
          accessor: 'add',
          title: '',
          textAlign: 'right',
          render: ({ model }) => (
            <Button
              size="compact-sm"
              variant="light"
              aria-label={t('catalog.addNamed', { name: model })}
              onClick={() => props.onAdd(model)}
            >
              {t('catalog.add')}
            </Button>
          ),
        },
      ]}
      empty={
        <EmptyState
          icon={<IconMoodSmile />}
          title={t('catalog.noGapTitle')}
          text={t('catalog.noGap.missed')}
        />
      }
    />
  )
}
