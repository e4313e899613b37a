/**
 * `npm run provision:kafka`: makes the topics of the catalogue, and gives each service the rights that
 * the catalogue says it has.
 */
import { runKafkaProvision } from '@causeway/runtime'
import { topicAccess } from './access.ts'
import { topics } from './catalogue.ts'

await runKafkaProvision({ topics, access: topicAccess })
