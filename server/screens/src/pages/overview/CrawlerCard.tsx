import { type Asking, askOf } from '../../data/asks'
import { isFixed } from '../../data/guest'
import type { Json } from '../../data/query'
import { useAnswer } from '../../data/useAnswer'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { useIsShown } from '../../parts/oneCard'
import { CellButton } from '../../parts/cells'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Table, type TableColumn } from '../../parts/Table'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'

type Row = readonly Json[]

const title = 'Crawlers'
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')
const countColumn = (name: string, at: number): TableColumn<Row> => ({
  title: name,
  isNumber: true,
  value: (row) => formatCount(Number(row[at])),
})
const seenColumn: TableColumn<Row> = {
  title: 'Last seen',
  value: (row) => <Moment time={text(row.at(-1))} show="recent" />,
}

/** Nothing where no crawler came. */
function AllCrawlers({ asking, choose }: { asking: Asking; choose?: (crawler: string) => void }) {
  const ask = askOf('crawlers', asking)
  const { answer, isLoading } = useAnswer(useIsShown('crawlers') ? ask : undefined, {
    askedAt: useScope().now,
  })
  if (!answer || answer.rows.length === 0) return null
  return (
    <Card name="crawlers" title={title} ask={ask} isStale={isLoading}>
      <Table<Row>
        caption="Crawlers by views"
        rows={answer.rows}
        rowKey={([crawler]) => text(crawler)}
        chooseRow={choose && (([crawler]) => choose(text(crawler)))}
        columns={[
          {
            title: 'Crawler',
            value: ([crawler]) => (
              <CellButton
                title={`Which pages ${text(crawler)} read`}
                choose={choose && (() => choose(text(crawler)))}
              >
                {text(crawler)}
              </CellButton>
            ),
          },
          countColumn('Views', 1),
          countColumn('Pages', 2),
          seenColumn,
        ]}
      />
    </Card>
  )
}

function OneCrawler({ asking, crawler, leave }: { asking: Asking; crawler: string; leave: () => void }) {
  return (
    <AnswerCard
      name="crawlers"
      title={title}
      ask={askOf('crawled_pages', asking, { crawler })}
      empty={`${crawler} read nothing in this time.`}
      aside={
        <button class="button quiet" type="button" onClick={leave}>
          All crawlers
        </button>
      }
    >
      {({ rows }) => (
        <>
          <p class="soft">What {crawler} read:</p>
          <Table<Row>
            caption={`Pages that ${crawler} read`}
            rows={rows}
            rowKey={([path]) => `page ${text(path)}`}
            columns={[
              { title: 'Page', value: ([path]) => text(path) || '(no path)' },
              countColumn('Views', 1),
              seenColumn,
            ]}
          />
        </>
      )}
    </AnswerCard>
  )
}

/** Which crawlers and AI agents came, or what the one that the address names read. */
export function CrawlerCard({ asking }: { asking: Asking }) {
  const [search, setSearch] = useSearch()
  const crawler = search.get('crawler')
  const choose = (chosen: string | undefined) => setSearch({ crawler: chosen }, { replace: true })
  return crawler === null ? (
    <AllCrawlers asking={asking} {...(isFixed() ? {} : { choose })} />
  ) : (
    <OneCrawler asking={asking} crawler={crawler} leave={() => choose(undefined)} />
  )
}
