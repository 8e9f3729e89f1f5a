import type { SessionDesk } from '../session-desk.js';
import type { NodeFacts } from './answers.js';

type Metric = { name: string; type: 'gauge' | 'counter'; help: string; value: number };

/** `/metrics` in Prometheus' text format. */
export function metricsText(facts: NodeFacts, desk: SessionDesk): string {
  const metrics: Metric[] = [
    gauge('sessions_running', 'Slots in use, sessions being opened or killed included.', desk.running),
    gauge('sessions_max', 'Slots of this node.', desk.maxSessions),
    gauge('browsers_warm', 'Started browsers without a session.', facts.warm),
    gauge('browsers_starting', 'Browsers being started.', facts.starting),
    gauge('healthy', '1 unless the browser probe condemns the node.', facts.health.status === 'unhealthy' ? 0 : 1),
    gauge('rejected_recently', 'Refusals for want of a slot in the last minute.', desk.recentlyRejected),
    { name: 'sessions_opened_total', type: 'counter', help: 'Sessions that got a browser.', value: desk.opened },
  ];
  return metrics.map(render).join('');
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: 'gauge', help, value };
}

function render({ name, type, help, value }: Metric): string {
  const full = `darkroom_node_${name}`;
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${full} ${value}\n`;
}
