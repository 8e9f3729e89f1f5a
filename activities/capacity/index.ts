export { capacityActivities, stateOf, type CapacityPorts } from './activities.js';
export { createDelivery, type Delivery, type DeliveryPorts } from './delivery.js';
