output "workers" {
  description = "The zone of each worker."
  value       = [for worker in terraform_data.worker : worker.input.zone]
}
