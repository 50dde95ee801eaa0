import '../operator.css'
import { Badge, Button, Group, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconPlus } from '../../icons/icons.ts'
import { PageHeader } from '../../parts/page/page-header.tsx'
import { gapsQuery } from '../operator-queries.ts'
import { SearchInput } from '../parts/search-input.tsx'
import { MissedModels } from './missed-models.tsx'
import { ModelPanel } from './model-panel.tsx'
import { ModelsTable } from './models-table.tsx'

const views = ['all', 'unpriced', 'unrouted', 'missed'] as const

export function ModelsAndPricesPage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/shell/operate/models' })
  const navigate = useNavigate({ from: '/operate/models' })
  const gaps = useQuery(gapsQuery).data
  const [text, setText] = useState<string>()
  const [newId, setNewId] = useState<string>()
  const open = (model: string) => {
    setNewId(undefined)
    void navigate({ search: (old) => ({ ...old, model }) })
  }
  const close = () => {
    setNewId(undefined)
    void navigate({ search: ({ model: _closed, ...rest }) => rest })
  }
  return (
    <>
      <PageHeader title={t('catalog.title')} text={t('catalog.about')}>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setNewId('')}>
          {t('catalog.new')}
        </Button>
      </PageHeader>
      <Tabs
        value={search.view ?? 'all'}
        onChange={(view) =>
          void navigate({ search: view === null || view === 'all' ? {} : { view }, replace: true })
        }
        keepMounted={false}
      >
        <Group justify="space-between" align="flex-end" mb="md" gap="xs">
          <Tabs.List flex={1} miw={0} className="tab-line">
            {views.map((view) => (
              <Tabs.Tab
                key={view}
                value={view}
                rightSection={
                  view !== 'all' &&
                  gaps &&
                  gaps[view].length > 0 && (
                    <Badge color={view === 'missed' ? 'gray' : 'orange'} size="sm">
                      {gaps[view].length}
                    </Badge>
                  )
                }
              >
                {t(`catalog.view.${view}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {search.view !== 'missed' && (
            <SearchInput label={t('catalog.search')} value={text} onSearch={setText} />
          )}
        </Group>
        <Tabs.Panel value="all">
          <ModelsTable search={text} onOpen={open} />
        </Tabs.Panel>
        <Tabs.Panel value="unpriced">
          <ModelsTable search={text} lacks="price" onOpen={open} />
        </Tabs.Panel>
        <Tabs.Panel value="unrouted">
          <ModelsTable search={text} lacks="route" onOpen={open} />
        </Tabs.Panel>
        <Tabs.Panel value="missed">
          <MissedModels missed={gaps?.missed} onAdd={setNewId} />
        </Tabs.Panel>
      </Tabs>
      <ModelPanel model={search.model} newId={newId} onOpen={open} onClose={close} />
    </>
  )
}
